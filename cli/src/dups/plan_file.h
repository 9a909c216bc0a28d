// PlanFile: writes the plan for the duplicates that a search finds.
//
//   PlanFile plan(request);  // before the search: throws if the plan could not be written
//   plan.choose(request, found);
//   plan.write(request, found);

#pragma once

#include <optional>

#include "dups/finding.h"
#include "dups/request.h"
#include "output.h"

namespace fathom::cli {

class PlanFile {
 public:
  // Does nothing if the request does not name a plan. Throws UsageError if the file cannot be
  // written, is not a plan, is a plan whose run was interrupted, or is also the output or the
  // trace.
  explicit PlanFile(const DupsRequest& request);

  // Sets found.kept to the files that the plan keeps, if there is a plan.
  void choose(const DupsRequest& request, DupsFinding& found) const;

  // Writes the plan, and prints a message about it. Throws base::SystemError.
  void write(const DupsRequest& request, const DupsFinding& found);

 private:
  std::optional<Output> output_;
};

}  // namespace fathom::cli

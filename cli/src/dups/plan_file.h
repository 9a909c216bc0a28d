// PlanFile: where the plan for what was found goes.
//
//   PlanFile plan(request);  // before the search: throws if it would be in vain
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
  // Of the file that the request names, if it does. Throws UsageError if it cannot be written,
  // holds something else than a plan, or one whose run was interrupted, or takes the results, too.
  explicit PlanFile(const DupsRequest& request);

  // Notes which files the plan keeps, if there is to be one.
  void choose(const DupsRequest& request, DupsFinding& found) const;

  // Writes the plan, and tells how much it is about. Throws base::SystemError.
  void write(const DupsRequest& request, const DupsFinding& found);

 private:
  std::optional<Output> output_;
};

}  // namespace fathom::cli

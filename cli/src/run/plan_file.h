// PlanFile: writes the plan for the duplicates that a search finds.
//
//   PlanFile plan(request);  // before the search: throws if the plan could not be written
//   plan.choose(request, found);
//   plan.write(request, found);

#pragma once

#include <optional>
#include <string>

#include "fathom/act/dup_plan.h"
#include "flags/dups_request.h"
#include "run/dups_session.h"
#include "run/output.h"

namespace fathom::cli {

class PlanFile {
 public:
  // Does nothing if the request does not name a plan. Throws UsageError if the file cannot be
  // written, exists and is not to be replaced, is a plan whose run was interrupted, or is also the
  // output or the trace; and if files cannot be moved to the quarantine.
  explicit PlanFile(const DupsRequest& request);

  // Sets found.kept to the files that the plan keeps, if there is a plan. If a root with files has
  // vanished, prints a message, and there will be no plan.
  void choose(const DupsRequest& request, DupsFinding& found);

  // Checks the plan, writes it, and prints messages about it. Returns false if there is none
  // although the request names one, or if a file of it could not be checked. Throws base::Error; no
  // plan was written then, and a file that was created in the meantime stays.
  [[nodiscard]] bool write(const DupsRequest& request, const DupsFinding& found);

 private:
  void open(const PlanRequest& asked);
  void save(const act::DupPlan& plan, const PlanRequest& asked);

  std::optional<Output> output_;
  act::PlanOptions options_;
  bool has_roots_ = false;  // options_ are complete
};

// Reads a plan. Throws base::Error if the file cannot be read or is not a plan.
[[nodiscard]] act::DupPlan read_dup_plan(const std::string& path);

// The absolute path of a quarantine that the user names, which need not exist. Throws
// base::SystemError if the directory above it does not.
[[nodiscard]] std::string quarantine_path(const std::string& path);

}  // namespace fathom::cli

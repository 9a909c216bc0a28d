// ItemPlanFile: writes the plan for what a command lists.
//
//   ItemPlanFile plan(request, request.plan);  // before the scan: throws if it cannot be written
//   plan.write(chosen, paths.roots(), "", request.units, interrupt.token());

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/act/plan.h"
#include "fathom/base/bytes.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "flags/common_request.h"
#include "flags/item_plan_request.h"
#include "run/output.h"

namespace fathom::cli {

// Where the entries of a scan are: absolute paths without symbolic links above them.
class PlanPaths {
 public:
  explicit PlanPaths(const fs::Scan& scan);

  // The roots of a plan: directories.
  [[nodiscard]] const std::vector<std::string>& roots() const { return roots_; }
  [[nodiscard]] std::string path_of(fs::NodeId node) const;

 private:
  const fs::Scan& scan_;
  std::vector<std::string> tops_;  // of the scan
  std::vector<std::string> roots_;
};

class ItemPlanFile {
 public:
  // Does nothing if the request does not name a plan. Throws UsageError if the file cannot be
  // written, is that of other output, or exists and is not to be replaced.
  ItemPlanFile(const CommonRequest& request, const ItemPlanRequest& plan);

  [[nodiscard]] explicit operator bool() const { return output_.has_value(); }

  // Examines what was chosen, writes the plan (`quarantine`: as in act::Plan), and prints messages
  // about it. What has changed since the constructor is not in the plan. Returns false if some of
  // them are not in the plan. Throws base::Error; no plan was written then.
  [[nodiscard]] bool write(std::vector<act::Chosen> choices, const std::vector<std::string>& roots,
                           const std::string& quarantine, base::Units units,
                           const rt::CancelToken& cancel);

 private:
  void save(const act::Plan& plan);

  const ItemPlanRequest& request_;
  const std::int64_t began_ns_;  // before the scan
  std::optional<Output> output_;
};

}  // namespace fathom::cli

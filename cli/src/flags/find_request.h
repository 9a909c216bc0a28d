// FindRequest: the parsed arguments of `fathom find`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/measure.h"
#include "flags/common_request.h"
#include "flags/item_plan_request.h"
#include "flags/order.h"

namespace fathom::cli {

// Whether a pattern matches more than one name, apart from upper and lower case.
[[nodiscard]] inline bool has_wildcards(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

struct FindRequest : CommonRequest {
  std::vector<std::string> patterns;  // never empty: "*" by default

  // Without "--", arguments that may mean something else in certain directories are refused there.
  bool globs_given = false;  // otherwise every name matches
  bool divided = false;      // by "--"
  bool paths_given = false;  // otherwise `paths` is the current directory

  TableFormat format = TableFormat::text;
  bool summary = false;  // only the sums
  bool details = false;  // a table instead of a list of paths
  bool print0 = false;   // a NUL after each path
  fs::Measure measure = fs::Measure::disk;
  std::optional<Order> order;  // none: by path

  ItemPlanRequest plan;

  std::uint64_t max_operations = 0;  // per second; 0: no limit
};

}  // namespace fathom::cli

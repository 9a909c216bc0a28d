// DupsRequest: what one `fathom dups` was asked to do.

#pragma once

#include <cstdint>
#include <optional>

#include "dups/plan_request.h"
#include "flag/common_request.h"

namespace fathom::cli {

enum class DupsFormat { text, json, csv, fclones };

struct DupsRequest : CommonRequest {
  DupsFormat format = DupsFormat::text;
  bool summary = false;  // the sums alone
  bool all = false;      // nothing is cut, even on a terminal

  std::optional<std::uint64_t> min_size;  // of a file, in bytes
  bool empty = false;                     // empty files, too
  bool drop_cache = false;

  PlanRequest plan;
};

}  // namespace fathom::cli

// DupsRequest: the parsed arguments of `fathom dups`.

#pragma once

#include <cstdint>
#include <optional>

#include "dups/plan_request.h"
#include "flag/common_request.h"

namespace fathom::cli {

enum class DupsFormat { text, json, csv, fclones };

struct DupsRequest : CommonRequest {
  DupsFormat format = DupsFormat::text;
  bool summary = false;  // only the totals
  bool all = false;      // no limit, even on a terminal

  std::optional<std::uint64_t> min_size;  // of a file, in bytes
  bool empty = false;                     // include empty files
  bool drop_cache = false;

  PlanRequest plan;
};

}  // namespace fathom::cli

// LogRequest: the parsed arguments of `fathom log`.

#pragma once

#include <optional>
#include <string>

#include "flags/common_request.h"

namespace fathom::cli {

struct LogRequest : CommonRequest {
  std::optional<std::string> path;  // only its series
  TableFormat format = TableFormat::text;
};

}  // namespace fathom::cli

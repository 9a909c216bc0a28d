// LogRequest: the parsed arguments of `fathom log`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flags/common_request.h"

namespace fathom::cli {

enum class LogFormat : std::uint8_t { text, json, csv };

struct LogRequest : CommonRequest {
  std::optional<std::string> path;  // only its series
  LogFormat format = LogFormat::text;
};

}  // namespace fathom::cli

// ApplyRequest: the parsed arguments of `fathom apply` and `fathom undo`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flags/common_request.h"

namespace fathom::cli {

enum class ApplyFormat : std::uint8_t { text, json };

struct ApplyRequest : CommonRequest {
  std::string file;  // the plan, or the journal
  bool execute = false;
  std::optional<std::string> journal;
  std::optional<std::string> quarantine;
  ApplyFormat format = ApplyFormat::text;
};

}  // namespace fathom::cli

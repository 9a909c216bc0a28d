// SystemConfig: what the administrator demands of every user, in /etc/fathom.conf.
//
//   # comment
//   read_only = true

#pragma once

#include <string_view>

namespace fathom::cli {

struct SystemConfig {
  bool read_only = false;
};

// The file; nothing is demanded if there is none. Throws UsageError if it cannot be read or
// understood: a demand must not be lost by a spelling mistake.
[[nodiscard]] SystemConfig system_config();

// The text of the file.
[[nodiscard]] SystemConfig parse_system_config(std::string_view text);

}  // namespace fathom::cli

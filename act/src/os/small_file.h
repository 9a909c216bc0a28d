// Small files: their beginning, as a string.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "os/safe_open.h"

namespace fathom::act {

inline constexpr std::size_t kSmallFile = std::size_t{16} << 20;

// The first bytes of a file of the system, such as /proc/swaps; nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> read_small_file(const std::string& path,
                                                         std::size_t most = kSmallFile);

// The first bytes of the regular file there; nothing if it is anything else, or cannot be read.
[[nodiscard]] std::optional<std::string> read_small_file(const Location& location,
                                                         std::size_t most = kSmallFile);

// The same of an open file.
[[nodiscard]] std::optional<std::string> read_small_file(int file, std::size_t most);

}  // namespace fathom::act

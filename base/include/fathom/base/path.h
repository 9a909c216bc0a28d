// Paths as the system resolves them. A function that fails returns nothing and sets errno.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fathom::base {

// The absolute path without symbolic links, "." and "..", as realpath(3) returns it. Fails if
// nothing is there, or if a directory above it cannot be searched.
[[nodiscard]] std::optional<std::string> real_path(const std::string& path);

// Fails if the directory was removed or cannot be reached.
[[nodiscard]] std::optional<std::string> current_directory();

// The path of something in a folder, without "./" at its beginning. Makes no system calls: an
// absolute path, symbolic links and ".." stay as they are.
[[nodiscard]] std::string joined_path(const std::string& folder, std::string_view path);

}  // namespace fathom::base

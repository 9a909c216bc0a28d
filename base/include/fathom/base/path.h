// Paths as the system resolves them. A function that fails returns nothing and sets errno.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::base {

// The absolute path without symbolic links, "." and "..", as realpath(3) returns it. Fails if
// nothing is there, or if a directory above it cannot be searched.
[[nodiscard]] std::optional<std::string> real_path(const std::string& path);

// Fails if the directory was removed or cannot be reached.
[[nodiscard]] std::optional<std::string> current_directory();

// The path of something in a folder, without "./" at its beginning. Makes no system calls: an
// absolute path, symbolic links and ".." stay as they are.
[[nodiscard]] std::string joined_path(const std::string& folder, std::string_view path);

// The part of a path up to and including the last slash; empty if there is no slash.
[[nodiscard]] std::string folder_of(const std::string& path);

// The names along a path, without empty ones and ".". Valid as long as the path.
[[nodiscard]] std::vector<std::string_view> names_along(std::string_view path);

// Whether something is in a folder or deeper, by the text of its path. Neither path has "." or
// "..", and at most the folder ends with a slash.
[[nodiscard]] bool is_below(std::string_view path, std::string_view folder);

// The same, or whether it is the folder itself.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view folder);

// Whether a path has fewer names than another one, or as many and the smaller ones. Of several
// copies of a directory, the contents belong to the least one by this rule: it orders the
// directories inside in the same way, even if one copy is inside another one.
[[nodiscard]] bool is_shallower(std::string_view a, std::string_view b);

// Replaces the path of a symbolic link by that of its target. False if it is not a link.
bool follow_one(std::string& path);

// The end of a chain of symbolic links, whether or not it exists.
[[nodiscard]] std::string link_target(std::string path);

// Whether the path is directly in /proc or a directory below it. Links there, such as /proc/1/fd/2,
// can be followed only by the kernel, and nobody can put one there.
[[nodiscard]] bool is_in_proc(const std::string& path);

inline constexpr int kMostLinks = 40;  // that the kernel follows

}  // namespace fathom::base

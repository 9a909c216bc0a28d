// Opens what lies below a root, and nothing else.
//
// No symbolic link on the way is followed, and no name leads upwards: openat2 sees to both in one
// call where the kernel has it; elsewhere the way is gone name by name. Both find the same.
//
// Every function returns 0 or -errno. -ELOOP or -ENOTDIR: something on the way is a symbolic link,
// or is no directory.

#pragma once

#include <string>
#include <string_view>

#include "dups/fd.h"

namespace fathom::fs {

// A name in an open directory. Whatever stands there is another question.
struct Location {
  Fd folder;
  std::string name;
};

// A directory by its absolute path, whose links are followed: the user named it.
[[nodiscard]] int open_root(const std::string& path, Fd& root);

// Whether a path may stand below a root: no name of it is empty, . or .., and none holds a zero.
[[nodiscard]] bool is_plain_path(std::string_view path);

// Whether it may be a root: absolute, and but for that a plain path, or the root of all.
[[nodiscard]] bool is_plain_root(std::string_view path);

// A directory below an open one; "" is that one. The path must be plain.
[[nodiscard]] int open_folder(int root, std::string_view path, Fd& folder);

// The same, name by name.
[[nodiscard]] int open_folder_stepwise(int root, std::string_view path, Fd& folder);

// The place of a plain path: its directory, opened, and its last name.
[[nodiscard]] int find_location(int root, std::string_view path, Location& location);

// Another name in the same directory.
[[nodiscard]] int beside(const Location& location, std::string name, Location& other);

// The regular file that stands there, for reading; never opens anything else. -EINVAL: it is none.
[[nodiscard]] int open_regular(const Location& location, Fd& file);

}  // namespace fathom::fs

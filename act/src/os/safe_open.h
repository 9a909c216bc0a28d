// Opens files and directories below a root, and nothing else.
//
// No symbolic link on the path is followed, and no name leads upwards: openat2 ensures both in one
// call where the kernel has it; elsewhere the path is opened name by name, with the same result.
//
// Every function returns 0 or -errno. -ELOOP or -ENOTDIR: a part of the path is a symbolic link, or
// is not a directory.

#pragma once

#include <string>
#include <string_view>

#include "fathom/base/fd.h"

namespace fathom::act {

// A name in an open directory, whether or not it exists.
struct Location {
  base::Fd folder;
  std::string name;
};

// Opens a directory by its absolute path, following links, because the user named it.
[[nodiscard]] int open_root(const std::string& path, base::Fd& root);

// Opens a root of a plan or journal. These are paths without symbolic links, so one that is on the
// path now was put there by somebody else, and is not followed.
[[nodiscard]] int open_real_root(const std::string& path, base::Fd& root);

// Whether a path may be below a root: no name in it is empty, . or .., and none has a zero byte.
[[nodiscard]] bool is_plain_path(std::string_view path);

// Whether it may be a root: "/", or an absolute path that is plain otherwise.
[[nodiscard]] bool is_plain_root(std::string_view path);

// Opens a directory below an open one; "" is that one itself. The path must be plain.
[[nodiscard]] int open_folder(int root, std::string_view path, base::Fd& folder);

// The same, name by name.
[[nodiscard]] int open_folder_stepwise(int root, std::string_view path, base::Fd& folder);

// The location of a plain path: its directory, opened, and its last name.
[[nodiscard]] int find_location(int root, std::string_view path, Location& location);

// Another descriptor of an open file or directory.
[[nodiscard]] int duplicate(int file, base::Fd& copy);

// Another name in the same directory.
[[nodiscard]] int beside(const Location& location, std::string name, Location& other);

// Whether the user may add names to a directory, and remove that of a file of this owner: 0, or
// -errno.
[[nodiscard]] int may_change_folder(int folder, uid_t owner);
[[nodiscard]] inline int may_change_folder(const Location& location, uid_t owner) {
  return may_change_folder(location.folder.get(), owner);
}

// Whether the user may change the names in an open directory: 0, or -errno.
[[nodiscard]] int may_write_to(int folder);

// Opens the regular file there for reading; never opens anything else. -EINVAL: not a regular file.
[[nodiscard]] int open_regular(const Location& location, base::Fd& file);

}  // namespace fathom::act

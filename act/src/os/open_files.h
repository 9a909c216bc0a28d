// OpenFiles: the files that processes have open.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fathom::act {

struct FileUser {
  std::uint64_t process = 0;  // the smallest one that has it open
  std::string program;        // its short name
};

// By device and inode number.
using OpenFiles = std::map<std::pair<std::uint64_t, std::uint64_t>, FileUser>;

// The files below these absolute paths that other processes have open or run, according to /proc;
// empty without /proc. Only processes that this user may inspect are seen. Files that are mapped
// into memory but closed are not included. Never contacts another machine.
[[nodiscard]] OpenFiles find_open_files(const std::vector<std::string>& below);

}  // namespace fathom::act

// Processes: what the processes of this machine have open, and their names, as /proc reports them.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace fathom::act {

// A process that has a file or a directory open, executes it, has it mapped, or works in it.
struct OpenIn {
  std::int64_t pid = 0;
  std::string command;  // bytes
};

struct Processes {
  std::map<std::pair<std::uint64_t, std::uint64_t>, OpenIn> open;  // by device and inode
  std::uint64_t unseen = 0;  // whose open files this user may not see
};

// Empty without /proc. Never contacts another machine, so an unresponsive network filesystem cannot
// block it.
[[nodiscard]] Processes read_processes();

// The names of all processes.
[[nodiscard]] std::set<std::string, std::less<>> running_programs();

// The release of the running kernel, such as "6.1.0-13-amd64".
[[nodiscard]] std::string kernel_release();

}  // namespace fathom::act

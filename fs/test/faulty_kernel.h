// A kernel that fails as a test specifies: intercepts the scanner's calls with the linker's --wrap.
//
// A hook receives the arguments of a call and returns an errno, or 0 to let the call pass. Many
// threads call it. Hooks are set while no scan runs.
//
//   const Faults faults({.list = [](std::uint64_t inode, int) { return inode == bad ? EIO : 0; }});

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fathom::fs {

struct Hooks {
  // Opening a directory, by the name that the scanner passes.
  std::function<int(std::string_view name)> open = {};
  // Reading the metadata of a name; empty for an open directory.
  std::function<int(std::string_view name)> stat = {};
  // Listing a directory (by inode); `block` is the number of previous reads, 0 for the first block.
  std::function<int(std::uint64_t inode, int block)> list = {};
  // The target of a symbolic link; called for each readlink.
  std::function<std::string(std::string_view name)> target = {};
  // Any other call: with the name of the file that is opened, or with the name of the call.
  std::function<void(std::string_view what)> other = {};
  // The error of statx if it is missing; 0: it is available.
  int no_statx = 0;
  // The filesystem does not report the types of names.
  bool unknown_types = false;
  // How many calls of each kind in a row are interrupted before one passes.
  int interruptions = 0;
};

// Calls since the hooks were set.
struct Calls {
  std::uint64_t opens = 0;
  std::uint64_t stats = 0;
  std::uint64_t lists = 0;
  std::uint64_t interrupted = 0;
  std::int64_t open_directories = 0;  // opened and not closed
};

// The hooks are active during its lifetime. One object at a time.
class Faults {
 public:
  explicit Faults(Hooks hooks);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  [[nodiscard]] Calls calls() const;
};

}  // namespace fathom::fs

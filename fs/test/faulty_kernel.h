// A kernel that refuses what a test says: the calls of the scanner go through here (the linker's
// --wrap).
//
// A hook is given what is asked for and answers with an errno, or 0 to let the call pass. It is
// called by many threads. Hooks are set while no scan runs.
//
//   const Faults faults({.list = [](std::uint64_t inode, int) { return inode == bad ? EIO : 0; }});

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fathom::fs {

struct Hooks {
  // A directory that is opened, by its name as the scanner gives it.
  std::function<int(std::string_view name)> open = {};
  // A name whose metadata is asked for; empty for an open directory.
  std::function<int(std::string_view name)> stat = {};
  // The directory (its inode) that is listed, and how often it was before: 0 for the first block.
  std::function<int(std::uint64_t inode, int block)> list = {};
  // What a symbolic link says; asked again for each call.
  std::function<std::string(std::string_view name)> target = {};
  // Anything else, by what it is asked of: a file that is opened by its name, or by the call.
  std::function<void(std::string_view what)> other = {};
  // The error with which statx is missing altogether; 0 if it is not.
  int no_statx = 0;
  // Every name is of a type that the filesystem does not tell.
  bool unknown_types = false;
  // So many calls of each kind in a row are interrupted before one passes.
  int interruptions = 0;
};

// What was asked since the hooks were set.
struct Calls {
  std::uint64_t opens = 0;
  std::uint64_t stats = 0;
  std::uint64_t lists = 0;
  std::uint64_t interrupted = 0;
  std::int64_t open_directories = 0;  // opened and not closed
};

// The hooks are in effect while it lives. One at a time.
class Faults {
 public:
  explicit Faults(Hooks hooks);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  [[nodiscard]] Calls calls() const;
};

}  // namespace fathom::fs

// TreeWalk: visits everything below an open directory, on one filesystem, without following links.
//
// Every entry is reached through the descriptor of its directory, so nothing that is renamed or
// replaced meanwhile can lead the walk elsewhere. Few descriptors are held, however deep the tree
// is, and nothing recurses.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "os/file_state.h"

namespace fathom::act {

// Opens a subdirectory by name. -EXDEV: another filesystem, or a part of the same one, is mounted
// there; -ELOOP or -ENOTDIR: it is not a directory.
[[nodiscard]] int open_subfolder(int folder, const char* name, base::Fd& opened);

class TreeWalk {
 public:
  // One entry, valid during a call.
  struct Place {
    int folder = -1;                 // its directory, open
    std::uint64_t folder_inode = 0;  // of that directory
    const char* name = nullptr;
  };

  class Visitor {
   public:
    Visitor() = default;
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    virtual ~Visitor() = default;

    // Called with each entry; a directory is entered next if this returns true.
    virtual bool entry(const Place& place, const FileState& state) = 0;
    // Called after everything in a directory that was entered.
    virtual void after_folder(const Place& place, const FileState& state) = 0;
    // Called if an entry, or the rest of a directory, cannot be examined. `code` is -errno.
    virtual void failed(const char* name, int code) = 0;
  };

  // Both must outlive it.
  TreeWalk(int root, Visitor& visitor) : root_(root), visitor_(visitor) {}

  void run();

  // Ends the walk as soon as possible; a visitor may call it.
  void stop() { stopped_ = true; }

  // The path of an entry of the current directory, below the root.
  [[nodiscard]] std::string path_of(const char* name) const;

 private:
  struct Level {
    base::Fd folder;  // closed again if the walk is far below
    FileState state;
    std::string name;   // in the directory above; empty: the root
    std::string names;  // each followed by a zero byte
    std::size_t at = 0;
  };

  void enter(base::Fd folder, std::string name, const FileState& state);
  void visit();
  void leave();
  [[nodiscard]] int reopen_above(int folder);

  const int root_;
  Visitor& visitor_;
  bool stopped_ = false;
  std::vector<Level> levels_;
};

}  // namespace fathom::act

// Unsynced: files and directories that must be on the disk before a run goes on.
//
// A few are written one by one. When there are more, one call writes all of their filesystem, if
// that is one whose call is known to do as much: it waits for the disk once, though also for what
// others have written there. Few descriptors are held, however many files are added.
//
//   unsynced.add_folder(folder);
//   if (unsynced.sync_all() == 0) ...   // no power cut takes back what happened before it was
//   added

#pragma once

#include <cstdint>
#include <vector>

#include "dups/fd.h"
#include "dups/mutating_ops.h"

namespace fathom::fs {

class Unsynced {
 public:
  // The steps must outlive it.
  explicit Unsynced(const MutatingOps& ops) : ops_(ops) {}

  // What a file holds; the names in a directory. What goes wrong is told by sync_all().
  void add_file(int file) { add(file, /*has_content=*/true); }
  void add_folder(int folder) { add(folder, /*has_content=*/false); }

  // Writes all that was added, or tells why not: 0 or -errno. Either way it is empty then.
  [[nodiscard]] int sync_all();

  void clear();

 private:
  struct Item {
    Fd file;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool has_content = false;
  };

  void add(int file, bool has_content);
  [[nodiscard]] bool is_covered(const Item& item);
  void make_room();
  void write_out(const Item& item);
  void note(int result);

  const MutatingOps& ops_;
  std::vector<Item> few_;    // to be written one by one
  std::vector<Item> whole_;  // one of each filesystem that is to be written as a whole
  int error_ = 0;            // the first one, negative
};

}  // namespace fathom::fs

// Unsynced: files and directories that must be on the disk before a run continues.
//
// A few are synced one by one. If there are more, one call syncs their whole filesystem, where that
// is known to be equivalent: it waits for the disk once, although also for data of other programs.
// Few descriptors are held, however many files are added.
//
//   unsynced.add_folder(folder);
//   if (unsynced.sync_all() == 0) ...   // survives a power cut

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/base/fd.h"
#include "os/mutating_ops.h"

namespace fathom::act {

class Unsynced {
 public:
  // `ops` must outlive it.
  explicit Unsynced(const MutatingOps& ops) : ops_(ops) {}

  // Adds the content of a file, or the names in a directory. sync_all() reports errors.
  void add_file(int file) { add(file, /*has_content=*/true); }
  void add_folder(int folder) { add(folder, /*has_content=*/false); }

  // Syncs everything that was added; returns 0 or -errno. It is empty afterwards in either case.
  [[nodiscard]] int sync_all();

  void clear();

 private:
  struct Item {
    base::Fd file;
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
  std::vector<Item> few_;    // to be synced one by one
  std::vector<Item> whole_;  // one file of each filesystem that is synced as a whole
  int error_ = 0;            // the first one, negative
};

}  // namespace fathom::act

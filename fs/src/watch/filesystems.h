// Filesystems: those mounted at and below some roots, followed by a queue of changes.
//
// Mount points are opened when a handle must be resolved, and closed by close(): an open one cannot
// be unmounted.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/mounts.h"
#include "os/watch_ops.h"
#include "watch/events.h"

namespace fathom::fs {

class Filesystems {
 public:
  // The roots are absolute paths without links. Follows nothing yet.
  Filesystems(std::vector<std::string> roots, int queue);

  // Follows what is mounted now. Returns false if that is what was followed already, so that
  // nothing can have been missed.
  bool follow_mounts();

  [[nodiscard]] std::size_t count() const { return followed_.size(); }
  [[nodiscard]] bool has(std::size_t index, std::uint64_t id) const {
    return followed_[index].id == id;
  }
  // The inode of a handle of that filesystem: 0, -ESTALE if it was deleted, or another error.
  int find(std::size_t index, HandleBytes handle, os::InodeNumber& inode);
  // Whether find() could not open one: a directory above its mount point has another name now.
  [[nodiscard]] bool is_one_lost() const { return is_one_lost_; }
  void close();

  [[nodiscard]] const std::vector<std::string>& not_followed() const { return not_followed_; }
  // Whether this process may not follow one of them.
  [[nodiscard]] bool is_refused() const { return is_refused_; }

 private:
  struct Followed {
    std::vector<Mount> mounts;  // any of them leads to all of its inodes
    std::uint64_t id = 0;       // in events; copies of a filesystem may have the same
    base::Fd open = base::Fd();
  };

  [[nodiscard]] std::vector<Mount> find_mounts(std::vector<std::string>& unknown) const;
  void follow(std::vector<Mount> mounts);
  static int open(Followed& filesystem);
  bool are_followed();

  std::vector<std::string> roots_;
  int queue_;
  std::vector<Mount> mounts_;  // at and below the roots
  std::vector<Followed> followed_;
  std::vector<std::string> not_followed_;
  bool is_refused_ = false;
  bool is_one_lost_ = false;
};

}  // namespace fathom::fs

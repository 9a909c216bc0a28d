// Quarantine: the folder that files are moved to, each below it at its whole path.

#pragma once

#include <cstdint>
#include <string>

#include "dups/mutating_ops.h"
#include "dups/safe_open.h"
#include "dups/unsynced.h"

namespace fathom::fs {

class Quarantine {
 public:
  // Opens the folder, or makes it in one that is there. Throws base::Error if there can be none, or
  // its path is not absolute. Without `may_make` it need not be there.
  Quarantine(const std::string& path, bool may_make, const MutatingOps& ops);

  // Of its filesystem.
  [[nodiscard]] std::uint64_t device() const { return device_; }

  // Where a file has its place below the folder.
  [[nodiscard]] static std::string path_of(const std::string& root, const std::string& path);

  // That place. Each returns 0 or -errno; -ENOENT: there is not even a directory for it. The second
  // makes those that are missing, and adds where it made one.
  [[nodiscard]] int find(const std::string& path, Location& location) const;
  [[nodiscard]] int make(const std::string& path, Location& location, Unsynced& unsynced) const;

  // Removes the directories above a path that are empty now.
  void remove_empty(const std::string& path) const;

 private:
  const MutatingOps& ops_;
  Fd folder_;  // none: it is not there yet
  std::uint64_t device_ = 0;
};

}  // namespace fathom::fs

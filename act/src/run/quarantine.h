// Quarantine: the directory to which files are moved, each at its whole path below it.

#pragma once

#include <string>

#include "fathom/base/fd.h"
#include "fathom/base/path.h"
#include "os/file_state.h"
#include "os/mutating_ops.h"
#include "os/safe_open.h"
#include "run/unsynced.h"

namespace fathom::act {

class Quarantine {
 public:
  // Opens the directory, or creates it in an existing one. Throws base::Error if that fails or its
  // path is not absolute. Without `may_make` it may be missing.
  Quarantine(const std::string& path, bool may_make, const MutatingOps& ops);

  [[nodiscard]] const MountId& mount() const { return mount_; }

  // Whether an absolute path is below the quarantine, according to their names.
  [[nodiscard]] bool contains(const std::string& path) const { return base::is_below(path, path_); }

  // The path of a file below the quarantine.
  [[nodiscard]] static std::string path_of(const std::string& root, const std::string& path);

  // The location of that path. Both return 0 or -errno; -ENOENT: its directory does not exist.
  // make() creates missing directories, and adds those that it changed to `unsynced`.
  [[nodiscard]] int find(const std::string& path, Location& location) const;
  [[nodiscard]] int make(const std::string& path, Location& location, Unsynced& unsynced) const;

  // Removes the directories above a path that are empty.
  void remove_empty(const std::string& path) const;

 private:
  const MutatingOps& ops_;
  const std::string path_;
  base::Fd folder_;  // none: it does not exist yet
  MountId mount_;
};

}  // namespace fathom::act

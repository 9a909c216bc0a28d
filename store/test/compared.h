// Support for tests of comparisons: snapshots of trees as they are now.

#pragma once

#include <fcntl.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

inline rt::Executor& executor() {
  static rt::Executor shared({.threads = 2});
  return shared;
}

// A snapshot with exact times, in memory.
inline Snapshot take(const std::vector<std::string>& roots) {
  fs::ScanOptions scan_options;
  scan_options.roots = roots;
  scan_options.threads = 1;
  scan_options.read_times = true;
  const fs::Scan scan = fs::scan(scan_options);
  SnapshotOptions options;
  options.meta.roots = roots;
  options.filesystem_ids = fs::filesystem_ids(scan.tree);
  // Without an identity of the filesystem, as in some containers, these tests still are about
  // moves.
  scan.tree.for_each_node(
      [&](fs::NodeId node) { options.filesystem_ids.emplace(scan.tree.device(node), "made-up"); });
  return Snapshot::of(scan, options, executor());
}

// Keeps the inodes of a tree in existence. A filesystem may give the number of a removed inode to
// the next one, and if that happens in the same tick of the kernel's clock, also its time of
// creation: then what was created cannot be told from what was moved.
class KeptInodes {
 public:
  explicit KeptInodes(const std::string& root) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      kept_.emplace_back(::open(entry.path().c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    }
  }

 private:
  std::vector<base::Fd> kept_;
};

}  // namespace fathom::store

// ScannedPaths: where the entries of a scan are on the filesystem.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"

namespace fathom::act {

struct ScannedRoot {
  std::string path;  // absolute, without links; empty: it is no longer there
  base::Fd folder;   // negative if it is not a directory or cannot be opened
  std::uint64_t device = 0;
};

class ScannedPaths {
 public:
  explicit ScannedPaths(const fs::Scan& scan);

  [[nodiscard]] const ScannedRoot& root_of(fs::NodeId node) const {
    return roots_[tree_.root_index(node)];
  }

  // The path of an entry from its root; empty for a root.
  [[nodiscard]] std::string below_root(fs::NodeId node) const;
  // Absolute, without links; empty if its root is gone.
  [[nodiscard]] std::string path(fs::NodeId node) const;

  // The entry at an absolute path without links; kNoNode if the scan has none.
  [[nodiscard]] fs::NodeId find(const std::string& path) const;

 private:
  const fs::Tree& tree_;
  std::vector<ScannedRoot> roots_;  // as in Tree::roots()
};

}  // namespace fathom::act

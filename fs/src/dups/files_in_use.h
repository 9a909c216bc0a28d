// FilesInUse: the entries of a tree that are not set aside (base/set_aside.h). What is in a
// quarantine or a trash is gone when that is emptied, so it does not count as a copy.

#pragma once

#include <string>
#include <vector>

#include "fathom/base/set_aside.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

class FilesInUse {
 public:
  // The tree must outlive it.
  explicit FilesInUse(const Tree& tree);

  [[nodiscard]] bool has(NodeId node) const;

 private:
  [[nodiscard]] bool is_set_aside_itself(NodeId node) const;

  const Tree& tree_;
  const base::SetAside set_aside_;
  std::vector<std::string> roots_;  // absolute, without links
  std::vector<bool> is_aside_;      // by DirId: the directory, or one above it
};

}  // namespace fathom::fs

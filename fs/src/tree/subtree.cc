// Subtree: finds the directories below one.

#include "fathom/fs/subtree.h"

#include <cstddef>

namespace fathom::fs {

Subtree::Subtree(const Tree& tree, const Children& children, NodeId top, DirId directory)
    : tree_(&tree), children_(&children), top_(top), directory_(directory) {
  if (directory == kNoDir) return;
  directories_.push_back(directory);
  for (std::size_t next = 0; next < directories_.size(); ++next) {
    for (const DirId below : children.directories(directories_[next]))
      directories_.push_back(below);
  }
}

}  // namespace fathom::fs

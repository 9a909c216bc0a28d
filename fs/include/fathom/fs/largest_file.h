// LargestFiles: the largest file in each directory, including everything below it.
//
// A pure function of the tree, for views that show a directory without its entries, and say what
// kind of files take the space in it.
//
//   fs::LargestFiles largest(tree);
//   largest.below(dir);   // a file, or kNoNode

#pragma once

#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

class LargestFiles {
 public:
  explicit LargestFiles(const Tree& tree);

  // By disk usage, of the regular files whose bytes are counted there; the one with the smallest
  // path if several are equal; kNoNode if there is none.
  [[nodiscard]] NodeId below(DirId directory) const { return below_[directory]; }

 private:
  std::vector<NodeId> below_;  // by DirId
};

}  // namespace fathom::fs

// LargestFiles: the largest file of each directory, then of each directory's parent, the deepest
// first.

#include "fathom/fs/largest_file.h"

#include <cstdint>

#include "tree/deepest_first.h"

namespace fathom::fs {

LargestFiles::LargestFiles(const Tree& tree) : below_(tree.directory_limit(), kNoNode) {
  const auto add = [&](NodeId node, DirId directory) {
    NodeId& largest = below_[directory];
    if (largest != kNoNode) {
      const std::uint64_t known = tree.blocks(largest);
      const std::uint64_t blocks = tree.blocks(node);
      if (blocks < known || (blocks == known && tree.path_less(largest, node))) return;
    }
    largest = node;
  };
  tree.for_each_node([&](NodeId node) {
    const DirId parent = tree.parent(node);
    const bool counted = (tree.flags(node) & (kUncounted | kExtraLink)) == 0;
    if (tree.kind(node) == Kind::file && counted && parent != kNoDir) add(node, parent);
  });
  for (const DirId id : deepest_first(tree)) {
    const DirId parent = tree.parent_of(id);
    if (parent != kNoDir && below_[id] != kNoNode) add(below_[id], parent);
  }
}

}  // namespace fathom::fs

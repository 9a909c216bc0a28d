// Ancestors: jump pointers in skew-binary numbers (Myers, 1983); see ancestors.h.

#include "tree/ancestors.h"

#include "tree/deepest_first.h"

namespace fathom::fs {

Ancestors::Ancestors(const Tree& tree) : tree_(tree), jumps_(tree.directory_limit(), kNoDir) {
  const std::vector<DirId> directories = deepest_first(tree);
  for (auto id = directories.rbegin(); id != directories.rend(); ++id) {
    const DirId parent = tree_.parent_of(*id);
    const DirId first = jump(parent);
    const DirId second = jump(first);
    // Two adjacent jumps of equal length, and the step before them, combine into one.
    const bool equal = height(parent) - height(first) == height(first) - height(second);
    jumps_[*id] = equal ? second : parent;
  }
}

DirId Ancestors::at_height(DirId directory, std::uint32_t height) const {
  while (this->height(directory) > height) {
    const DirId far = jump(directory);
    directory = this->height(far) >= height ? far : up(directory);
  }
  return directory;
}

// Jumps at equal heights have equal lengths: both sides jump until the jumps would meet.
DirId Ancestors::common(DirId a, DirId b) const {
  const std::uint32_t height_a = height(a);
  const std::uint32_t height_b = height(b);
  if (height_a > height_b) a = at_height(a, height_b);
  if (height_b > height_a) b = at_height(b, height_a);
  while (a != b) {
    const bool meet = jump(a) == jump(b);
    a = meet ? up(a) : jump(a);
    b = meet ? up(b) : jump(b);
  }
  return a;
}

}  // namespace fathom::fs

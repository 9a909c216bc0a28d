// Totals: adds each entry to its directory, and then directories to their parents, the deepest
// first.

#include "fathom/fs/totals.h"

#include "fathom/base/saturating.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

void count(const Tree& tree, NodeId node, Counts& counts) {
  const std::uint8_t flags = tree.flags(node);
  if ((flags & kUncounted) != 0) return;
  switch (tree.kind(node)) {
    case Kind::directory:
      ++counts.dirs;
      break;
    case Kind::file:
      ++counts.files;
      break;
    case Kind::symlink:
      ++counts.symlinks;
      break;
    case Kind::other:
      ++counts.others;
      break;
  }
  if ((flags & kExtraLink) != 0) return;
  const Entry sizes{.size = tree.size(node), .blocks = tree.blocks(node)};
  counts.disk_bytes = base::saturating_add(counts.disk_bytes, sizes.disk_bytes());
  counts.apparent_bytes = base::saturating_add(counts.apparent_bytes, sizes.apparent_bytes());
}

}  // namespace

void Counts::add(const Counts& other) {
  files += other.files;
  dirs += other.dirs;
  symlinks += other.symlinks;
  others += other.others;
  disk_bytes = base::saturating_add(disk_bytes, other.disk_bytes);
  apparent_bytes = base::saturating_add(apparent_bytes, other.apparent_bytes);
}

Totals::Totals(const Tree& tree)
    : below_(tree.directory_limit()), lower_bound_(tree.directory_limit()) {
  tree.for_each_node([&](NodeId node) {
    if (tree.kind(node) == Kind::directory) return;
    const DirId parent = tree.parent(node);
    count(tree, node, parent == kNoDir ? whole_ : below_[parent]);
  });
  const std::vector<DirId> directories = deepest_first(tree);
  if (!directories.empty()) deepest_ = tree.depth(directories.front());
  for (const DirId id : directories) {
    const NodeId node = tree.node(id);
    count(tree, node, below_[id]);
    if ((tree.flags(node) & kIncomplete) != 0) lower_bound_[id] = true;
    const DirId parent = tree.parent_of(id);
    (parent == kNoDir ? whole_ : below_[parent]).add(below_[id]);
    if (parent != kNoDir && lower_bound_[id]) lower_bound_[parent] = true;
  }
}

}  // namespace fathom::fs

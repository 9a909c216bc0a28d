// Totals: adds each entry to its directory, and then directories to their parents, the deepest
// first.

#include "fathom/fs/totals.h"

#include "fathom/base/saturating.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

void Counts::add(const Counts& other) {
  files += other.files;
  dirs += other.dirs;
  symlinks += other.symlinks;
  others += other.others;
  disk_bytes = base::saturating_add(disk_bytes, other.disk_bytes);
  apparent_bytes = base::saturating_add(apparent_bytes, other.apparent_bytes);
}

void Counts::add(const Tree& tree, NodeId node) {
  const std::uint8_t flags = tree.flags(node);
  if ((flags & kUncounted) != 0) return;
  switch (tree.kind(node)) {
    case Kind::directory:
      ++dirs;
      break;
    case Kind::file:
      ++files;
      break;
    case Kind::symlink:
      ++symlinks;
      break;
    case Kind::other:
      ++others;
      break;
  }
  if ((flags & kExtraLink) != 0) return;
  const Entry sizes{.size = tree.size(node), .blocks = tree.blocks(node)};
  disk_bytes = base::saturating_add(disk_bytes, sizes.disk_bytes());
  apparent_bytes = base::saturating_add(apparent_bytes, sizes.apparent_bytes());
}

void Totals::Below::add(const Counts& counts) {
  files += static_cast<std::uint32_t>(counts.files);
  dirs += static_cast<std::uint32_t>(counts.dirs);
  symlinks += static_cast<std::uint32_t>(counts.symlinks);
  others += static_cast<std::uint32_t>(counts.others);
  disk_bytes = base::saturating_add(disk_bytes, counts.disk_bytes);
  apparent_bytes = base::saturating_add(apparent_bytes, counts.apparent_bytes);
}

// To a directory, or to the whole if it is kNoDir.
void Totals::add(DirId parent, const Counts& counts) {
  if (parent == kNoDir) {
    whole_.add(counts);
  } else {
    below_[parent].add(counts);
  }
}

Totals::Totals(const Tree& tree)
    : below_(tree.directory_limit()), lower_bound_(tree.directory_limit()) {
  tree.for_each_node([&](NodeId node) {
    if (tree.kind(node) == Kind::directory) return;
    Counts own;
    own.add(tree, node);
    add(tree.parent(node), own);
  });
  const std::vector<DirId> directories = deepest_first(tree);
  if (!directories.empty()) deepest_ = tree.depth(directories.front());
  for (const DirId id : directories) {
    const NodeId node = tree.node(id);
    Counts own;
    own.add(tree, node);
    below_[id].add(own);
    if ((tree.flags(node) & kIncomplete) != 0) lower_bound_[id] = true;
    const DirId parent = tree.parent_of(id);
    add(parent, below(id));
    if (parent != kNoDir && lower_bound_[id]) lower_bound_[parent] = true;
  }
}

}  // namespace fathom::fs

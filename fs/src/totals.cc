#include "fathom/fs/totals.h"

#include <algorithm>
#include <utility>

#include "fathom/base/saturating.h"

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

// The directories, the deepest first: whoever stands before its parent can hand its sums up.
std::vector<DirId> deepest_first(const Tree& tree, std::uint32_t& deepest) {
  std::vector<std::uint32_t> at_depth;  // how many; then where those of a depth begin
  tree.for_each_directory([&](DirId id) {
    const std::uint32_t depth = tree.depth(id);
    if (depth >= at_depth.size()) at_depth.resize(depth + 1);
    ++at_depth[depth];
  });
  deepest = at_depth.empty() ? 0 : static_cast<std::uint32_t>(at_depth.size() - 1);
  std::uint32_t next = 0;
  for (auto it = at_depth.rbegin(); it != at_depth.rend(); ++it) {
    next += std::exchange(*it, next);
  }
  std::vector<DirId> ordered(next);
  tree.for_each_directory([&](DirId id) { ordered[at_depth[tree.depth(id)]++] = id; });
  return ordered;
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
  for (const DirId id : deepest_first(tree, deepest_)) {
    const NodeId node = tree.node(id);
    count(tree, node, below_[id]);
    if ((tree.flags(node) & kIncomplete) != 0) lower_bound_[id] = true;
    const DirId parent = tree.parent_of(id);
    (parent == kNoDir ? whole_ : below_[parent]).add(below_[id]);
    if (parent != kNoDir && lower_bound_[id]) lower_bound_[parent] = true;
  }
}

}  // namespace fathom::fs

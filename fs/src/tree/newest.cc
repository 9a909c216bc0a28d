// Newest: the latest time of each entry's directory, then of each directory's parent, the deepest
// first.

#include "fathom/fs/newest.h"

#include <algorithm>

#include "tree/deepest_first.h"

namespace fathom::fs {

std::int64_t latest_usable(std::int64_t now) {
  constexpr std::int64_t kDay = 24 * 60 * 60;
  std::int64_t latest = 0;
  return __builtin_add_overflow(now, kDay, &latest) ? now : latest;
}

Newest::Newest(const Tree& tree, std::int64_t latest)
    : below_(tree.directory_limit(), kUnknownTime) {
  const auto add = [&](NodeId node, DirId directory) {
    if ((tree.flags(node) & kUncounted) != 0) return;
    const std::int64_t time = tree.mtime(node);
    if (time <= latest) below_[directory] = std::max(below_[directory], time);
  };
  tree.for_each_node([&](NodeId node) {
    const DirId parent = tree.parent(node);
    if (tree.kind(node) != Kind::directory && parent != kNoDir) add(node, parent);
  });
  for (const DirId id : deepest_first(tree)) {
    add(tree.node(id), id);
    const DirId parent = tree.parent_of(id);
    if (parent != kNoDir) below_[parent] = std::max(below_[parent], below_[id]);
  }
}

}  // namespace fathom::fs

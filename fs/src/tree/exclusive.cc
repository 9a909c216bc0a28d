// Exclusive: adds each inode with several names to the deepest directory that contains all of them,
// and then all sums to the parents.

#include "fathom/fs/exclusive.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fathom/base/saturating.h"
#include "tree/ancestors.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

Sizes sizes_of(const Tree& tree, NodeId node) {
  const Entry entry{.size = tree.size(node), .blocks = tree.blocks(node)};
  return {.disk_bytes = entry.disk_bytes(), .apparent_bytes = entry.apparent_bytes()};
}

// One name of an inode that has several.
struct LinkedName {
  std::uint64_t device;
  std::uint64_t inode;
  NodeId node;

  [[nodiscard]] auto identity() const { return std::tie(device, inode); }
};

// The names of one inode in the tree.
class LinkedNames {
 public:
  LinkedNames(const Tree& tree, const Ancestors& ancestors) : tree_(tree), ancestors_(ancestors) {}

  void add(NodeId node) {
    const DirId parent = tree_.parent(node);
    directory_ = found_ == 0 ? parent : ancestors_.common(directory_, parent);
    ++found_;
    links_ = std::max<std::uint64_t>(links_, tree_.links(node));  // they differ if it changed
    if ((tree_.flags(node) & kExtraLink) == 0) owner_ = node;
  }

  // The deepest directory whose removal would free the inode; kNoDir if there is none.
  [[nodiscard]] DirId freed_with() const { return found_ >= links_ ? directory_ : kNoDir; }

  // The name whose sizes Totals counts.
  [[nodiscard]] NodeId owner() const { return owner_; }

 private:
  const Tree& tree_;
  const Ancestors& ancestors_;
  std::uint64_t found_ = 0;
  std::uint64_t links_ = 0;
  DirId directory_ = kNoDir;
  NodeId owner_ = kNoNode;
};

// Calls freed(directory, owner) for each inode all of whose names were found, with the deepest
// directory that contains them and the name at which it is counted.
template <class Freed>
void for_each_freed(const Tree& tree, std::vector<LinkedName> linked, Freed freed) {
  if (linked.empty()) return;
  const Ancestors ancestors(tree);
  std::sort(linked.begin(), linked.end(),
            [](const LinkedName& a, const LinkedName& b) { return a.identity() < b.identity(); });
  for (auto name = linked.begin(); name != linked.end();) {
    LinkedNames names(tree, ancestors);
    const auto identity = name->identity();
    for (; name != linked.end() && name->identity() == identity; ++name) names.add(name->node);
    if (names.freed_with() != kNoDir) freed(names.freed_with(), names.owner());
  }
}

}  // namespace

void Sizes::add(const Sizes& other) {
  disk_bytes = base::saturating_add(disk_bytes, other.disk_bytes);
  apparent_bytes = base::saturating_add(apparent_bytes, other.apparent_bytes);
}

Exclusive::Exclusive(const Tree& tree) : below_(tree.directory_limit()) {
  std::vector<LinkedName> linked;
  tree.for_each_node([&](NodeId node) {
    if ((tree.flags(node) & kRepeated) != 0 || tree.kind(node) == Kind::directory) return;
    if (tree.links(node) > 1) {
      linked.push_back({tree.device(node), tree.inode(node), node});
    } else if (const DirId parent = tree.parent(node); parent != kNoDir) {
      below_[parent].add(sizes_of(tree, node));
    }
  });
  for_each_freed(tree, std::move(linked), [&](DirId directory, NodeId owner) {
    below_[directory].add(sizes_of(tree, owner));
  });
  for (const DirId id : deepest_first(tree)) {
    const NodeId node = tree.node(id);
    // The entries in a repeated directory are marked one by one, so it has no bytes itself.
    if ((tree.flags(node) & kUncounted) == 0) below_[id].add(sizes_of(tree, node));
    if (const DirId parent = tree.parent_of(id); parent != kNoDir) below_[parent].add(below_[id]);
  }
}

// Cannot underflow: the directory that frees an inode contains all of its names, including the
// owner, at which the total counts the same sizes. Thus the total adds at least the same values,
// and a saturated sum does not decrease when a value is added.
Sizes shared(const Counts& total, const Sizes& exclusive) {
  return {.disk_bytes = total.disk_bytes - exclusive.disk_bytes,
          .apparent_bytes = total.apparent_bytes - exclusive.apparent_bytes};
}

}  // namespace fathom::fs

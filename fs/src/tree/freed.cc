// Freed: adds up the outermost entries of the set, and then each inode whose names are in several
// of them.

#include "fathom/fs/freed.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace fathom::fs {

namespace {

Sizes own_sizes(const Tree& tree, NodeId node) {
  const Entry entry{.size = tree.size(node), .blocks = tree.blocks(node)};
  return {.disk_bytes = entry.disk_bytes(), .apparent_bytes = entry.apparent_bytes()};
}

std::tuple<std::uint64_t, std::uint64_t> identity(const Tree& tree, NodeId node) {
  return {tree.device(node), tree.inode(node)};
}

}  // namespace

// Which of its entries contains a name.
class Freed::Set {
 public:
  // knows_files: whether is_chosen() will be called, for which files must be sorted.
  Set(const Tree& tree, std::span<const Chosen> entries, bool knows_files) : tree_(tree) {
    for (const Chosen& entry : entries) {
      if (entry.directory != kNoDir) {
        directories_.push_back(entry.directory);
      } else if (knows_files) {
        files_.push_back(entry.node);
      }
    }
    std::sort(files_.begin(), files_.end());
    std::sort(directories_.begin(), directories_.end());
  }

  // The outermost chosen directory that is the directory or above it; kNoDir if there is none.
  [[nodiscard]] DirId outermost(DirId directory) const {
    DirId found = kNoDir;
    if (directories_.empty()) return found;
    for (; directory != kNoDir; directory = tree_.parent_of(directory)) {
      if (std::binary_search(directories_.begin(), directories_.end(), directory)) {
        found = directory;
      }
    }
    return found;
  }

  [[nodiscard]] bool is_chosen(NodeId file) const {
    return std::binary_search(files_.begin(), files_.end(), file);
  }

 private:
  const Tree& tree_;
  std::vector<NodeId> files_;  // sorted, as is the next
  std::vector<DirId> directories_;
};

Freed::Freed(const Tree& tree, const Totals& totals, const Exclusive& exclusive)
    : tree_(tree), totals_(totals), exclusive_(exclusive) {
  tree.for_each_node([&](NodeId node) {
    const bool counts = (tree.flags(node) & kRepeated) == 0;
    if (counts && tree.kind(node) != Kind::directory && tree.links(node) > 1) {
      linked_.push_back(node);
    }
  });
  std::sort(linked_.begin(), linked_.end(),
            [&](NodeId a, NodeId b) { return identity(tree, a) < identity(tree, b); });
}

// Of an inode with several names, the names of a directory of the set are in its exclusive bytes,
// if they are all of them. Left are those whose names are in several entries of the set, and those
// of chosen files.
void Freed::add_linked(const Set& set, Sums& sums) const {
  for (std::size_t first = 0, end = 0; first < linked_.size(); first = end) {
    std::uint64_t found = 0;
    std::uint64_t links = 0;
    bool in_one = true;  // all names are in the same directory of the set
    NodeId owner = linked_[first];
    DirId before = kNoDir;
    const auto id = identity(tree_, linked_[first]);
    for (end = first; end < linked_.size() && identity(tree_, linked_[end]) == id; ++end) {
      const NodeId name = linked_[end];
      const DirId in = set.outermost(tree_.parent(name));
      if (in == kNoDir && !set.is_chosen(name)) continue;
      in_one = in_one && in != kNoDir && (found == 0 || in == before);
      before = in;
      ++found;
      links = std::max<std::uint64_t>(links, tree_.links(name));  // they differ if it changed
      if ((tree_.flags(name) & kExtraLink) == 0) owner = name;
    }
    if (found > 0 && found >= links && !in_one) sums.exclusive.add(own_sizes(tree_, owner));
  }
}

Freed::Sums Freed::by(std::span<const Chosen> entries) const {
  const Set set(tree_, entries, !linked_.empty());
  Sums sums;
  for (const auto& [node, directory] : entries) {
    const DirId above = directory == kNoDir ? tree_.parent(node) : tree_.parent_of(directory);
    if (set.outermost(above) != kNoDir) continue;
    if (directory != kNoDir) {
      const Counts total = totals_.below(directory);
      sums.entries += total.entries();
      sums.counted.add({total.disk_bytes, total.apparent_bytes});
      sums.exclusive.add(exclusive_.below(directory));
    } else if ((tree_.flags(node) & kRepeated) == 0) {
      ++sums.entries;
      const Sizes own = own_sizes(tree_, node);
      if ((tree_.flags(node) & kExtraLink) == 0) sums.counted.add(own);
      if (tree_.links(node) <= 1) sums.exclusive.add(own);
    }
  }
  if (!entries.empty()) add_linked(set, sums);
  return sums;
}

}  // namespace fathom::fs

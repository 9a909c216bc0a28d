// Children: groups entries by parent, with a counting sort.

#include "fathom/fs/children.h"

#include <utility>

namespace fathom::fs {

namespace {

// A counting sort of items by parent. each(function) calls function(parent, item) for every pair,
// in the same order each time.
template <class Each>
void group(std::uint32_t parents, Each each, std::vector<std::uint32_t>& first,
           std::vector<std::uint32_t>& items) {
  first.assign(parents + 1, 0);
  each([&](DirId parent, std::uint32_t) { ++first[parent]; });
  std::uint32_t next = 0;
  for (std::uint32_t& start : first) next += std::exchange(start, next);
  items.resize(next);
  // Filling moves each start to the end of its group, which is the start of the next one.
  each([&](DirId parent, std::uint32_t item) { items[first[parent]++] = item; });
  for (std::size_t parent = parents; parent > 0; --parent) first[parent] = first[parent - 1];
  first[0] = 0;
}

}  // namespace

Children::Children(const Tree& tree) {
  const std::uint32_t parents = tree.directory_limit();
  const auto each_directory = [&tree](auto function) {
    tree.for_each_directory([&](DirId id) {
      if (tree.parent_of(id) != kNoDir) function(tree.parent_of(id), id);
    });
  };
  const auto each_other = [&tree](auto function) {
    tree.for_each_node([&](NodeId node) {
      if (tree.kind(node) == Kind::directory || tree.parent(node) == kNoDir) return;
      function(tree.parent(node), node);
    });
  };
  group(parents, each_directory, directories_.first, directories_.items);
  group(parents, each_other, others_.first, others_.items);
}

}  // namespace fathom::fs

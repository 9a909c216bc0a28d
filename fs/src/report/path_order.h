// PathOrder: sorts entries by path, byte by byte, without making a path.
//
// The order is that of Tree::path_less(), except that what is below one root stays together: of
// roots that lie within one another, each has its turn. Unlike names from the top down, bytes put
// "a.txt" between the directory "a" and what is in it, because '.' comes before '/'.
//
//   PathOrder order(tree);
//   order.sort(items);

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

class PathOrder {
 public:
  explicit PathOrder(const Tree& tree);

  struct Item {
    NodeId node;
    std::uint32_t id;  // what the caller wants back: the node, or the directory's number
  };
  void sort(std::vector<Item>& items) const;

  // The first of some, which must not be none.
  [[nodiscard]] Item first(const std::vector<Item>& items) const;

 private:
  struct Key;

  [[nodiscard]] std::uint32_t place_of(DirId parent) const {
    return parent == kNoDir ? roots_ : parent;
  }
  [[nodiscard]] Key key_of(const Item& item) const;
  [[nodiscard]] bool less(const Key& a, const Key& b) const;
  void group_by_parent();
  void sort_children();
  void rank();

  // A place is a DirId, or what all roots stand in. The contents of places come one after the other
  // in the order of their ranks, interrupted by those of the places in them: ranks_ says when a
  // place's begin, ends_ the first rank after the last place in it.
  const Tree& tree_;
  const std::uint32_t roots_;               // the place of the roots
  std::vector<std::uint32_t> first_child_;  // by place, in children_
  std::vector<DirId> children_;             // directories, grouped by place, in the order of ranks
  std::vector<std::uint32_t> ranks_;        // by place
  std::vector<std::uint32_t> ends_;         // by place
};

}  // namespace fathom::fs

// PathOrder: sorts entries by path, byte by byte, without building paths.
//
// The order is that of Tree::path_less(), except that everything below one root stays together,
// even if roots are nested. Unlike an order by names from the top down, an order by bytes puts
// "a.txt" between the directory "a" and its contents, because '.' comes before '/'.
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
    std::uint32_t id;  // the caller's identifier: the node, or the directory's number
  };
  void sort(std::vector<Item>& items) const;

  // The first item; there must be at least one.
  [[nodiscard]] Item first(const std::vector<Item>& items) const;

  // The directory whose contents come first; there must be at least one.
  [[nodiscard]] DirId first_contents(const std::vector<DirId>& directories) const;

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

  // A place is a DirId, or the one that contains all roots. The contents of places follow each
  // other in the order of their ranks, interrupted by those of the places inside them: ranks_ says
  // when those of a place begin, and ends_ has the first rank after the last place inside it.
  const Tree& tree_;
  const std::uint32_t roots_;               // the place that contains the roots
  std::vector<std::uint32_t> first_child_;  // by place, in children_
  std::vector<DirId> children_;             // directories, grouped by place, in rank order
  std::vector<std::uint32_t> ranks_;        // by place
  std::vector<std::uint32_t> ends_;         // by place
};

}  // namespace fathom::fs

// Children: the entries of each directory. A pure function of the tree, for views that go from
// parents to children; the tree itself stores only parents.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

class Children {
 public:
  explicit Children(const Tree& tree);

  // In no particular order.
  [[nodiscard]] std::span<const DirId> directories(DirId of) const { return directories_.of(of); }
  [[nodiscard]] std::span<const NodeId> others(DirId of) const { return others_.of(of); }

 private:
  // One array of all children, grouped by parent: the children of d are items[first[d]] up to
  // items[first[d + 1]].
  struct Groups {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> items;
    [[nodiscard]] std::span<const std::uint32_t> of(DirId directory) const {
      return std::span(items).subspan(first[directory], first[directory + 1] - first[directory]);
    }
  };

  Groups directories_;
  Groups others_;
};

}  // namespace fathom::fs

// PathLess: the order of Tree::path_less(), for comparing many paths.
//
// Tree::path_less() climbs from both entries to where their paths diverge. PathLess finds that
// point with an index, so a comparison stays fast in a tree that is thousands of levels deep.
//
//   const PathLess less(tree);
//   std::sort(nodes.begin(), nodes.end(), less);

#pragma once

#include <string_view>

#include "fathom/fs/tree.h"
#include "tree/ancestors.h"

namespace fathom::fs {

class PathLess {
 public:
  // The tree must outlive it.
  explicit PathLess(const Tree& tree) : tree_(tree), ancestors_(tree) {}

  [[nodiscard]] bool operator()(NodeId a, NodeId b) const;

 private:
  class Spelling;

  [[nodiscard]] NodeId step_to(NodeId node, DirId from) const;
  [[nodiscard]] bool less_between_roots(NodeId a, NodeId b) const;

  const Tree& tree_;
  const Ancestors ancestors_;
};

// Whether a path that continues with `a` comes before one that continues with `b` after the same
// directory. more_a and more_b say whether another name follows, after a slash.
[[nodiscard]] bool name_less(std::string_view a, bool more_a, std::string_view b, bool more_b);

}  // namespace fathom::fs

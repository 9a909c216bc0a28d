// Ancestors: finds ancestors of a directory without one step per level.
//
// Each directory has a jump pointer to a distant ancestor. The lengths of jumps follow the
// skew-binary number system (Myers, "An applicative random-access stack", 1983), so any ancestor is
// reached in few jumps and steps. Each query takes O(log depth) time, and the index stores one
// number per directory.
//
//   const Ancestors ancestors(tree);
//   ancestors.common(a, b);      // the deepest directory that is or contains both
//   ancestors.at_depth(a, 3);    // a itself, or its ancestor, three levels below the root
//
// The tree must outlive it. Any number of threads may query it.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

class Ancestors {
 public:
  explicit Ancestors(const Tree& tree);

  // kNoDir if they have different roots, or either is kNoDir.
  [[nodiscard]] DirId common(DirId a, DirId b) const;

  // The directory itself, or its ancestor, at that depth, which must not exceed the directory's
  // own.
  [[nodiscard]] DirId at_depth(DirId directory, std::uint32_t depth) const {
    return at_height(directory, depth + 1);
  }

 private:
  // kNoDir is above all roots, which makes them one tree: its height is 0, that of roots is 1.
  [[nodiscard]] std::uint32_t height(DirId directory) const {
    return directory == kNoDir ? 0 : tree_.depth(directory) + 1;
  }
  [[nodiscard]] DirId up(DirId directory) const {
    return directory == kNoDir ? kNoDir : tree_.parent_of(directory);
  }
  [[nodiscard]] DirId jump(DirId directory) const {
    return directory == kNoDir ? kNoDir : jumps_[directory];
  }
  [[nodiscard]] DirId at_height(DirId directory, std::uint32_t height) const;

  const Tree& tree_;
  std::vector<DirId> jumps_;  // by DirId
};

}  // namespace fathom::fs

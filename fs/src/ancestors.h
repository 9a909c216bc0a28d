// Ancestors: finds what stands above a directory without a step for each level.
//
// Each directory has a jump pointer to one far above it, whose length is a number of the
// skew-binary system (Myers, "An applicative random-access stack", 1983): from any depth few jumps
// and steps lead to any other. So every question takes steps in the order of the logarithm of the
// depth, and all that is kept is one number for each directory.
//
//   const Ancestors ancestors(tree);
//   ancestors.common(a, b);      // the deepest directory that both are or stand in
//   ancestors.at_depth(a, 3);    // what a is, or stands in, three levels below the root
//
// The tree must outlive it. Any number of threads may ask.

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

  // The directory's ancestor, or itself, that is so deep; it must be as deep at least.
  [[nodiscard]] DirId at_depth(DirId directory, std::uint32_t depth) const {
    return at_height(directory, depth + 1);
  }

 private:
  // kNoDir stands above all roots, so that they are one tree: it has the height 0, roots have 1.
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

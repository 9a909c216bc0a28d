// Exclusive: what deleting a directory would free, were it the only thing that is deleted.
//
// An inode lives as long as it has a name. So its bytes are exclusive to a directory if all of its
// names stand in it or deeper: as many as the inode has links were found there. Names that the scan
// did not see, outside its roots or gone since, keep an inode alive; so do names below several
// roots, of which none is the other's.
//
//   fs::Exclusive exclusive(tree);
//   exclusive.below(dir).disk_bytes;                      // at most totals.below(dir).disk_bytes
//   shared(totals.below(dir), exclusive.below(dir));      // the rest: also named elsewhere
//
// A pure function of the tree, with the rules of Totals: sums saturate, and a repeated directory
// has nothing.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

struct Sizes {
  std::uint64_t disk_bytes = 0;
  std::uint64_t apparent_bytes = 0;

  void add(const Sizes& other);  // saturates
  friend bool operator==(const Sizes&, const Sizes&) = default;
};

class Exclusive {
 public:
  explicit Exclusive(const Tree& tree);

  // The directory itself and all below it.
  [[nodiscard]] const Sizes& below(DirId directory) const { return below_[directory]; }

 private:
  std::vector<Sizes> below_;  // by DirId
};

// What is counted in a directory's total but would not be freed with it. Both are of one directory.
[[nodiscard]] Sizes shared(const Counts& total, const Sizes& exclusive);

}  // namespace fathom::fs

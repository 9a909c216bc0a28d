// Exclusive: the bytes that deleting a directory, and nothing else, would free.
//
// An inode exists as long as it has a name. Its bytes are exclusive to a directory if all of its
// names are in the directory or deeper, that is, if as many names were found there as the inode has
// links. Names that the scan did not see, because they are outside its roots or were removed since,
// keep an inode alive; so do names below several roots that are not nested.
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

  // The directory itself and everything below it.
  [[nodiscard]] const Sizes& below(DirId directory) const { return below_[directory]; }

 private:
  std::vector<Sizes> below_;  // by DirId
};

// The bytes that a directory's total includes but that deleting it would not free. Both arguments
// must be of the same directory.
[[nodiscard]] Sizes shared(const Counts& total, const Sizes& exclusive);

}  // namespace fathom::fs

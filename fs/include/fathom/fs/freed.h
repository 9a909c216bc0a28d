// Freed: the bytes that deleting a set of entries, and nothing else, would free.
//
// As Exclusive says it for one directory: an inode is freed if as many of its names are in the set,
// or below a directory of the set, as it has links. The set may contain an entry and a directory
// above it; each byte is counted once.
//
//   fs::Freed freed(tree, totals, exclusive);
//   freed.by(chosen).exclusive.disk_bytes;   // what df will say
//   freed.by(chosen).counted.disk_bytes;     // as Totals counts the same entries
//
// A pure function of its arguments, which must outlive it. It takes 4 bytes for each name of an
// inode that has several names, and a query takes time by the size of the set and the number of
// these names.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fathom/fs/exclusive.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// An entry of a set.
struct Chosen {
  NodeId node = kNoNode;
  DirId directory = kNoDir;  // its number, if it is a directory

  friend bool operator==(const Chosen&, const Chosen&) = default;
};

class Freed {
 public:
  struct Sums {
    std::uint64_t entries = 0;
    Sizes counted;    // as Totals counts them
    Sizes exclusive;  // at most as much: the rest also has names elsewhere

    friend bool operator==(const Sums&, const Sums&) = default;
  };

  Freed(const Tree& tree, const Totals& totals, const Exclusive& exclusive);

  // Each entry of the set at most once, in any order.
  [[nodiscard]] Sums by(std::span<const Chosen> set) const;

 private:
  class Set;

  void add_linked(const Set& set, Sums& sums) const;

  const Tree& tree_;
  const Totals& totals_;
  const Exclusive& exclusive_;
  std::vector<NodeId> linked_;  // the names of inodes with several, grouped by inode
};

}  // namespace fathom::fs

// Newest: the last modification in each directory, including everything below it.
//
// A pure function of the tree, for views that show or order directories by age: the time of a
// directory itself only says when a name was added or removed.
//
//   fs::Newest newest(tree, now + day);
//   newest.below(dir);   // seconds since the epoch, or kUnknownTime

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// The latest time that a scan at `now` can have found, in seconds since the epoch: clocks differ,
// and a scan takes a while.
[[nodiscard]] std::int64_t latest_usable(std::int64_t now);

class Newest {
 public:
  // Ignores times after the latest, because one file with a wrong date would hide the times of all
  // others.
  Newest(const Tree& tree, std::int64_t latest);

  // Of the counted entries; kUnknownTime if there is none with a usable time.
  [[nodiscard]] std::int64_t below(DirId directory) const { return below_[directory]; }

 private:
  std::vector<std::int64_t> below_;  // by DirId
};

}  // namespace fathom::fs

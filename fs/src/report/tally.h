// Tally: the number of entries in a set, and their sizes, by the rules of Totals.

#pragma once

#include <cstdint>

#include "fathom/base/saturating.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

struct Tally {
  std::uint64_t files = 0;
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t apparent_bytes = 0;

  // Adds an entry that is not repeated. Every name counts; bytes count where the inode is owned.
  void add(const Tree& tree, NodeId node) {
    ++entries;
    if (tree.kind(node) == Kind::file) ++files;
    if ((tree.flags(node) & kExtraLink) == 0) add_bytes(tree, node);
  }

  void add_bytes(const Tree& tree, NodeId node) {
    const Entry sizes{.size = tree.size(node), .blocks = tree.blocks(node)};
    disk_bytes = base::saturating_add(disk_bytes, sizes.disk_bytes());
    apparent_bytes = base::saturating_add(apparent_bytes, sizes.apparent_bytes());
  }

  void add(const Tally& other) {
    files += other.files;
    entries += other.entries;
    disk_bytes = base::saturating_add(disk_bytes, other.disk_bytes);
    apparent_bytes = base::saturating_add(apparent_bytes, other.apparent_bytes);
  }
};

[[nodiscard]] inline std::uint64_t bytes_of(const Tally& tally, Measure measure) {
  return measure == Measure::disk ? tally.disk_bytes : tally.apparent_bytes;
}

// The fraction of the whole; 0 if the whole is 0.
[[nodiscard]] inline double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace fathom::fs

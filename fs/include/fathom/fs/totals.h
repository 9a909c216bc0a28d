// Totals: the sums of each directory, including everything below it.
//
// A pure function of the tree. Bytes are counted once per inode, at the smallest path that names
// it; every name is counted. Sums saturate instead of wrapping.
//
//   fs::Totals totals(tree);
//   totals.whole().disk_bytes;     // equals du -s --block-size=1
//   totals.below(dir).files;       // names of regular files in dir and deeper

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

struct Counts {
  std::uint64_t files = 0;
  std::uint64_t dirs = 0;
  std::uint64_t symlinks = 0;
  std::uint64_t others = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t apparent_bytes = 0;

  [[nodiscard]] std::uint64_t entries() const { return files + dirs + symlinks + others; }
  void add(const Counts& other);            // bytes saturate; counts of names cannot overflow
  void add(const Tree& tree, NodeId node);  // the entry alone, without what is below it
};

[[nodiscard]] inline std::uint64_t bytes_of(const Counts& counts, Measure measure) {
  return measure == Measure::disk ? counts.disk_bytes : counts.apparent_bytes;
}

class Totals {
 public:
  explicit Totals(const Tree& tree);

  [[nodiscard]] const Counts& whole() const { return whole_; }

  // The directory itself and everything below it. Zero for a repeated directory, which is counted
  // elsewhere.
  [[nodiscard]] Counts below(DirId directory) const { return below_[directory].counts(); }

  // Whether something in the directory or deeper could not be read, so that below() is a lower
  // bound.
  [[nodiscard]] bool lower_bound(DirId directory) const { return lower_bound_[directory]; }

  [[nodiscard]] std::uint32_t deepest() const { return deepest_; }  // 0: only the roots

 private:
  // Counts of a directory, in two thirds of the memory: a tree has at most 2^32 nodes.
  struct Below {
    std::uint32_t files = 0;
    std::uint32_t dirs = 0;
    std::uint32_t symlinks = 0;
    std::uint32_t others = 0;
    std::uint64_t disk_bytes = 0;
    std::uint64_t apparent_bytes = 0;

    void add(const Counts& counts);
    [[nodiscard]] Counts counts() const {
      return {.files = files,
              .dirs = dirs,
              .symlinks = symlinks,
              .others = others,
              .disk_bytes = disk_bytes,
              .apparent_bytes = apparent_bytes};
    }
  };

  void add(DirId parent, const Counts& counts);

  Counts whole_;
  std::vector<Below> below_;       // by DirId
  std::vector<bool> lower_bound_;  // by DirId
  std::uint32_t deepest_ = 0;
};

}  // namespace fathom::fs

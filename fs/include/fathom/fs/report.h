// Reports: the answers to what people ask of a scan, as pure functions of the finished tree.
//
// Every order is total (size, then path), so a report of the same filesystem is the same on every
// run.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// Which size a report orders by.
enum class Measure : std::uint8_t { disk, apparent };

[[nodiscard]] inline std::uint64_t bytes_of(const Entry& entry, Measure measure) {
  return measure == Measure::disk ? entry.disk_bytes() : entry.apparent_bytes();
}
[[nodiscard]] inline std::uint64_t bytes_of(const Counts& counts, Measure measure) {
  return measure == Measure::disk ? counts.disk_bytes : counts.apparent_bytes;
}

// The count largest entries that are no directories, the largest first. An inode is listed once, at
// the path that owns it.
[[nodiscard]] std::vector<NodeId> largest_files(const Tree& tree, std::size_t count,
                                                Measure measure);

// The count largest directories, each with all below it, the largest first.
[[nodiscard]] std::vector<DirId> largest_directories(const Tree& tree, const Totals& totals,
                                                     std::size_t count, Measure measure);

}  // namespace fathom::fs

// Series: the snapshots of one host, the same roots and the same selection, of which several may be
// in one store. The order of the roots does not matter, nor whether one is repeated; the
// order of options as in same_selection().

#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/store/store.h"

namespace fathom::store {

// Whether both are of one series, so that one can replace the other.
[[nodiscard]] bool same_series(const SnapshotMeta& a, const SnapshotMeta& b);

// The index of the snapshot before another one of its series; kNoSnapshot if it is the first.
inline constexpr std::size_t kNoSnapshot = ~std::size_t{0};
[[nodiscard]] std::size_t before_in_series(std::span<const StoredSnapshot> oldest_first,
                                           std::size_t index);

// The indexes of the snapshots in the series of one, the oldest first.
[[nodiscard]] std::vector<std::size_t> series_of(std::span<const StoredSnapshot> oldest_first,
                                                 const SnapshotMeta& one);

// The indexes of the series that an absolute path concerns: its snapshots contain the path. Of
// several, the one with the root that is nearest to the path, then the one with the newest
// snapshot. Empty: none contains it.
[[nodiscard]] std::vector<std::size_t> series_of_path(std::span<const StoredSnapshot> oldest_first,
                                                      std::string_view path);

// The indexes of all snapshots that contain an absolute path, of whatever series.
[[nodiscard]] std::vector<std::size_t> snapshots_with(std::span<const StoredSnapshot> oldest_first,
                                                      std::string_view path);

// Drops the indexes of snapshots whose scans ended before a second since the epoch. Throws NotFound
// if that would be all. Requires: there is one.
void keep_since(std::span<const StoredSnapshot> oldest_first, std::int64_t second,
                std::vector<std::size_t>& indexes);

}  // namespace fathom::store

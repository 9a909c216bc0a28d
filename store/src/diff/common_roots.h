// CommonRoot: the roots of two snapshots, and which of them are compared.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "diff/row_changes.h"
#include "fathom/fs/measure.h"
#include "fathom/store/snapshot.h"
#include "snapshot/directory_table.h"

namespace fathom::store {

// A root that both snapshots were made of, and its row on each side; kNoRow where it does not
// exist.
struct CommonRoot {
  std::string path;
  std::uint64_t before = kNoRow;
  std::uint64_t after = kNoRow;
};

// One that does not exist in one of them counts as removed or created. One that is inside of
// another root on one side is compared where it is counted there.
[[nodiscard]] std::vector<CommonRoot> common_roots(const SnapshotMeta& before,
                                                   DirectoryTable& table_before,
                                                   const SnapshotMeta& after,
                                                   DirectoryTable& table_after);

// The roots of one snapshot that are not roots of the other one.
[[nodiscard]] std::vector<std::string> missing_roots(const SnapshotMeta& from,
                                                     const SnapshotMeta& in);

// Whether a path is at or below a root of each snapshot.
[[nodiscard]] bool is_in_both(const SnapshotMeta& before, const SnapshotMeta& after,
                              const std::string& path);

// Whether a path is compared alone, because both snapshots contain it, but in different roots.
[[nodiscard]] bool is_alone(const SnapshotMeta& before, const SnapshotMeta& after,
                            const std::string& path);

// Throws NotFound unless the path is empty, or at or below one of the roots.
void require_compared(const SnapshotMeta& before, const SnapshotMeta& after,
                      const std::string& path, const std::vector<CommonRoot>& roots);

// Removes roots that are not directories and were not scanned on both sides.
void drop_other_roots(const SnapshotMeta& before, const SnapshotMeta& after, RowChanges& changes);

// The size of everything that is compared, on one side; `roots` are rows of its directories. It is
// independent of the changes, so that an error in them shows.
[[nodiscard]] std::uint64_t compared_size(const SnapshotMeta& meta, const SnapshotMeta& other,
                                          const CompareSide& side, fs::Measure measure,
                                          std::span<const std::uint64_t> roots);

}  // namespace fathom::store

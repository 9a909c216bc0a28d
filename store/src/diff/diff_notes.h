// What the reader of a difference must know: Diff::notes.

#pragma once

#include <string>
#include <vector>

#include "diff/common_roots.h"
#include "fathom/store/diff.h"
#include "fathom/store/snapshot.h"
#include "snapshot/directory_table.h"

namespace fathom::store {

// "a, b", or "none".
[[nodiscard]] std::string list_of(const std::vector<std::string>& texts);

// About the two snapshots. `alone`: as is_alone().
[[nodiscard]] std::vector<std::string> notes_about(const SnapshotMeta& before,
                                                   const SnapshotMeta& after, bool alone,
                                                   const std::string& path);

[[nodiscard]] std::string other_filesystem_at(const std::string& path);

// About the filesystems of the roots.
void note_filesystems(const std::vector<CommonRoot>& roots, const SnapshotMeta& before,
                      DirectoryTable& table_before, const SnapshotMeta& after,
                      DirectoryTable& table_after, std::vector<std::string>& notes);

// About what the lists leave out.
void note_long_paths(Diff& diff);

}  // namespace fathom::store

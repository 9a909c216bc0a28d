// DiffReport: a difference between snapshots as JSON (schema fathom.diff/1, as docs/JSON-diff.md
// describes it) and as tables, which fs::write_csv() writes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "fathom/store/diff.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

enum class DiffBy : std::uint8_t { directory, owner, group, extension };
enum class DiffItems : std::uint8_t { created, removed, changed, moved };

// What changed, and between which snapshots. Everything that it refers to must outlive it.
struct DiffReport {
  const Diff& diff;
  const SnapshotMeta& from;
  const SnapshotMeta& to;
  bool to_is_kept = true;  // whether `to` is in a store; if not, nobody can ask for its id
  fs::Measure measure = fs::Measure::disk;
  std::string path = {};               // as in DiffOptions
  std::vector<DiffBy> by = {};         // what the changes are summed by, besides directories
  std::size_t top = 0;                 // rows of each list at most; 0: all
  std::optional<unsigned> depth = {};  // of the deepest directories; 0: those without a parent
};

// Writes one JSON object and a newline.
void write_diff_json(const DiffReport& report, const fs::Sink& sink);

// The directories, or the changes by owner, group or extension; the largest absolute change first.
// The table refers to the report.
[[nodiscard]] fs::Table diff_table(const DiffReport& report, DiffBy by);

[[nodiscard]] const DiffList& diff_list(const Diff& diff, DiffItems items);

// The entries of one of the lists, in its order. The table refers to the report.
[[nodiscard]] fs::Table diff_items_table(const DiffReport& report, DiffItems items);

}  // namespace fathom::store

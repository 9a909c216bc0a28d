// GrowthReport: growth as JSON (schema fathom.growth/1, as docs/JSON-growth.md describes it) and as
// a table, which fs::write_csv() writes.

#pragma once

#include <cstddef>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "fathom/store/growth.h"

namespace fathom::store {

// The indexes of the directories that reports have: longer paths than fs::kLongestPath are left
// out.
[[nodiscard]] std::vector<std::size_t> shown_directories(const Growth& growth);

// Writes one JSON object and a newline.
void write_growth_json(const Growth& growth, const GrowthOptions& options, const fs::Sink& sink);

// One row for each directory and snapshot, with null where a directory does not exist. The table
// refers to the growth.
[[nodiscard]] fs::Table growth_table(const Growth& growth, fs::Measure measure);

}  // namespace fathom::store

// TextTable: a report in columns.
//
// A list has headings; figures are right-aligned, other columns left-aligned, and paths come last.
// A record has a line for each column. Sizes that are lower bounds are marked.
//
// On a terminal, lines never wrap: columns are omitted by rank, then paths are cut in the middle,
// but figures never. A value of a record that has little room is written below its name. Elsewhere,
// nothing is omitted or cut, so that users can copy from the report.

#pragma once

#include <cstddef>

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "view/view.h"

namespace fathom::cli {

// Returns the number of omitted columns. Requires: the cells of the report match their types.
std::size_t write_text_table(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli

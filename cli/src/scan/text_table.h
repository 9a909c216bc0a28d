// TextTable: a report set in columns for people.
//
// A list has its columns below headings, figures to the right, the rest to the left, and paths
// last; a record has a line for each column. Where a size is a lower bound it is marked.
//
// A terminal is never wrapped: columns are left out by their rank, then paths are cut in the
// middle; figures never are. What a record has little room for stands below its name. Anywhere else
// nothing is left out and nothing cut: a report is the place to copy from.

#pragma once

#include <cstddef>

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "scan/view.h"

namespace fathom::cli {

// How many columns were left out. Requires: the report's cells are what their types say.
std::size_t write_text_table(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli

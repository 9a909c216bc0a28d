// PlainTable: a report as words, a fact a line, for those who hear it.

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "scan/view.h"

namespace fathom::cli {

// "Path: /srv/a", "Disk usage: at least 4.0 KiB": a line for each cell, and a blank one between
// rows. Nothing is left out or cut, and a record says sizes to the byte as well.
void write_plain_table(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli

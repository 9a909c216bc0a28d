// Writes a report as CSV (RFC 4180), as docs/CSV.md describes it.
//
// The first line holds the column keys; each further line is a row. Fields hold the values that
// JSON would hold: plain integers, seconds since the epoch, true and false, and an empty field for
// null. Paths are written as raw bytes, because CSV has no encoding.

#pragma once

#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"

namespace fathom::fs {

void write_csv(const Table& table, const Sink& sink);

}  // namespace fathom::fs

// The CSV form of a report: RFC 4180, as docs/CSV.md describes it.
//
// A first line of keys, then a line for each row. Fields hold what JSON's would: plain integers,
// seconds since the epoch, true and false, nothing for null. Paths are their bytes as they are,
// for CSV knows no encoding.

#pragma once

#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"

namespace fathom::fs {

void write_csv(const Table& table, const Sink& sink);

}  // namespace fathom::fs

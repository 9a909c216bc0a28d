// Writes a scan and its reports as JSON: schema fathom.scan/1, as docs/JSON.md describes it.
//
// Sizes are integers in bytes, times are seconds since the epoch, and keys have a fixed order. In a
// path that is not UTF-8, each invalid byte is written as U+FFFD; beside it, path_b64 has the
// original bytes.
//
//   write_json(scan, totals, make_reports(input, requests), sink);

#pragma once

#include <cstddef>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "fathom/fs/totals.h"

namespace fathom::fs {

// Writes one JSON object and a newline. The reports appear in the given order; of two of the same
// kind only the first is written.
void write_json(const Scan& scan, const Totals& totals, const std::vector<Table>& reports,
                const Sink& sink);

// Writes an array of the rows [from, from + count) of a table, or of those that exist: objects as
// in a report. A record has one.
void write_json_rows(const Table& table, std::size_t from, std::size_t count, const Sink& sink);

}  // namespace fathom::fs

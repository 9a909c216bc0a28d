// The JSON form of a scan and of its reports: schema fathom.scan/1, as docs/JSON.md describes it.
//
// Sizes are integers in bytes, times are seconds since the epoch, keys stand in a fixed order. A
// path that is not UTF-8 is written with U+FFFD for what is not, and beside it path_b64 has its
// bytes.
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

// Writes one JSON object and a newline. The reports stand in it in their order; of two of one kind
// the first.
void write_json(const Scan& scan, const Totals& totals, const std::vector<Table>& reports,
                const Sink& sink);

// Writes an array of the rows [from, from + count) of a table, as many as there are: objects as
// they stand in a report. A record has one.
void write_json_rows(const Table& table, std::size_t from, std::size_t count, const Sink& sink);

}  // namespace fathom::fs

// Writes a scan and its reports as JSON: schema fathom.scan/1, as docs/JSON.md describes it.
//
// Sizes are integers in bytes, times are seconds since the epoch, and keys have a fixed order. In a
// path that is not UTF-8, each invalid byte is written as U+FFFD; beside it, path_b64 has the
// original bytes.
//
//   write_json(scan, totals, make_reports(input, requests), sink);

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/fs/json_writer.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "fathom/fs/totals.h"

namespace fathom::fs {

// Writes one JSON object and a newline. The reports appear in the given order; of two of the same
// kind only the first is written.
void write_json(const Scan& scan, const Totals& totals, const std::vector<Table>& reports,
                const Sink& sink);

// ---- Parts, which other schemas share

// Writes an array of the rows [from, from + count) of a table, or of those that exist, while the
// writer wants more: objects as in a report. A record has one.
void write_json_rows(JsonWriter& json, const Table& table, std::size_t from, std::size_t count);

// How much of what was to be read a result lacks.
struct Accuracy {
  bool complete = false;
  std::uint64_t unreadable = 0;
  std::uint64_t changed = 0;
  std::uint64_t asked = 0;  // as Scan::asked
  std::uint64_t excluded = 0;
  std::uint64_t filtered_out = 0;
  std::uint64_t too_long = 0;  // rows that a report leaves out: see Table::too_long()
  bool interrupted = false;
};
[[nodiscard]] Accuracy accuracy_of(const Scan& scan);

// Write a member of the current object: "accuracy" and "totals".
void write_accuracy(JsonWriter& json, const Accuracy& accuracy);
void write_totals(JsonWriter& json, const Counts& counts);

}  // namespace fathom::fs

// Writes a report as CSV (RFC 4180), as docs/CSV.md describes it.
//
// The first line holds the column keys; each further line is a row. Fields hold the values that
// JSON would hold: plain integers, seconds since the epoch, true and false, and an empty field for
// null. Paths are written as raw bytes, because CSV has no encoding.
//
// A spreadsheet takes a field that begins with = + - @, a tab or a line break for a formula, and
// may begin a new field at a semicolon or tab. With CsvTexts::safe, texts get a single quote before
// each such place; numbers stay as they are.

#pragma once

#include <cstdint>

#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"

namespace fathom::fs {

enum class CsvTexts : std::uint8_t { exact, safe };

void write_csv(const Table& table, const Sink& sink, CsvTexts texts = CsvTexts::exact);

}  // namespace fathom::fs

// The columns of errors.parquet: what could not be read, by path.

#pragma once

#include <cstdint>

#include "fathom/fs/scan.h"
#include "parquet/schema.h"
#include "parquet/table_writer.h"

namespace fathom::store {

enum class ErrorColumn : std::uint8_t {
  path,
  path_raw,   // null unless the path is not UTF-8
  operation,  // "open", "list" or "stat"
  error,      // errno; 0: unknown
};

// Its columns are in the order of ErrorColumn.
[[nodiscard]] const Schema& errors_schema();

void write_errors(const std::vector<fs::ScanError>& errors, std::size_t group_rows,
                  TableWriter& table);

}  // namespace fathom::store

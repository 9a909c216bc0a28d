// The columns of errors.parquet.

#include "snapshot/error_columns.h"

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "fathom/fs/utf8.h"
#include "snapshot/entry_columns.h"

namespace fathom::store {

namespace {

// In the order of ErrorColumn.
constexpr std::array kErrorColumns = {
    Column{"path", ColumnType::string, Encoding::front},
    Column{"path_raw", ColumnType::binary, Encoding::front, true},
    Column{"operation", ColumnType::string, Encoding::dictionary},
    Column{"errno", ColumnType::uint32, Encoding::dictionary},
};

void fill_error_column(std::span<const fs::ScanError> errors, ErrorColumn column, Values& values,
                       std::deque<std::string>& texts) {
  for (const fs::ScanError& error : errors) {
    switch (column) {
      case ErrorColumn::path:
        values.texts.push_back(as_text(error.path, texts));
        break;
      case ErrorColumn::path_raw:
        values.present.push_back(fs::is_utf8(error.path) ? 0 : 1);
        if (values.present.back() != 0) values.texts.push_back(error.path);
        break;
      case ErrorColumn::operation:
        values.texts.push_back(error.operation);
        break;
      case ErrorColumn::error:
        values.numbers.push_back(error.code);
        break;
    }
  }
}

}  // namespace

const Schema& errors_schema() {
  static constexpr Schema kSchema = {.mark = "fathom.errors/1", .columns = kErrorColumns};
  return kSchema;
}

void write_errors(const std::vector<fs::ScanError>& errors, std::size_t group_rows,
                  TableWriter& table) {
  std::vector<std::deque<std::string>> texts(table.lanes());
  for (std::size_t row = 0; row < errors.size() && table.wanted(); row += group_rows) {
    const auto rows = std::span(errors).subspan(row, std::min(group_rows, errors.size() - row));
    table.add(rows.size(), [&](std::size_t column, std::size_t lane, Values& values) {
      texts[lane].clear();
      fill_error_column(rows, static_cast<ErrorColumn>(column), values, texts[lane]);
    });
  }
}

}  // namespace fathom::store

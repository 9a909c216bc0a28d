// errors: the scan's errors as a table.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/report.h"

namespace fathom::fs {

namespace {

std::vector<const ScanError*> errors_in(const ReportInput& input) {
  std::vector<const ScanError*> found;
  for (const ScanError& error : input.scan().errors) {
    if (input.contains(error.path)) found.push_back(&error);
  }
  return found;
}

}  // namespace

Table errors(const ReportInput& input) {
  constexpr std::size_t kErrno = 2;  // its index in the columns
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"operation", "Operation", CellType::text, 1},
      {"errno", "Errno", CellType::number, 2},
      {"message", "Error", CellType::text},
  };
  std::vector<const ScanError*> found = errors_in(input);
  const std::size_t rows = found.size();
  auto read = [found = std::move(found)](std::size_t row, std::vector<Cell>& cells) {
    const ScanError& error = *found[row];
    add_cells(cells, error.path, std::string(error.operation), std::int64_t{error.code},
              message_of(error));
    if (error.code == 0) cells[kErrno] = Cell();
  };
  return {report_info(ReportKind::errors).head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs

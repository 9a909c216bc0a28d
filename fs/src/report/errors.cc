// errors: the scan's errors as a table.

#include <cstddef>
#include <string>

#include "fathom/fs/report.h"

namespace fathom::fs {

Table errors(const ReportInput& input) {
  constexpr std::size_t kErrno = 2;  // its index in the columns
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"operation", "Operation", CellType::text, 1},
      {"errno", "Errno", CellType::number, 2},
      {"message", "Error", CellType::text},
  };
  const auto read = [&input](std::size_t row, std::vector<Cell>& cells) {
    const ScanError& error = input.scan().errors[row];
    add_cells(cells, error.path, std::string(error.operation), std::int64_t{error.code},
              message_of(error));
    if (error.code == 0) cells[kErrno] = Cell();
  };
  return {report_info(ReportKind::errors).head, std::move(columns), input.scan().errors.size(),
          read};
}

}  // namespace fathom::fs

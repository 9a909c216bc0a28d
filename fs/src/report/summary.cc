// summary: the totals of a scan as a record.

#include "fathom/fs/report.h"

namespace fathom::fs {

Table summary(const ReportInput& input) {
  std::vector<Column> columns = {
      {"files", "Files", CellType::count},
      {"dirs", "Directories", CellType::count},
      {"symlinks", "Symbolic links", CellType::count},
      {"others", "Others", CellType::count},
      {"entries", "Entries", CellType::count},
      {"disk_bytes", "Disk usage", CellType::bytes},
      {"apparent_bytes", "Apparent size", CellType::bytes},
      {"depth", "Depth", CellType::count},
      {"lower_bound", "Lower bound", CellType::bound},
      {"unreadable", "Unreadable", CellType::count},
      {"changed", "Vanished", CellType::count},
      {"seconds", "Time", CellType::seconds},
      {"entries_per_second", "Rate", CellType::rate},
  };
  const auto read = [&input](std::size_t, std::vector<Cell>& cells) {
    const Counts& whole = input.totals().whole();
    const Scan& scan = input.scan();
    add_cells(cells, whole.files, whole.dirs, whole.symlinks, whole.others, whole.entries(),
              whole.disk_bytes, whole.apparent_bytes, std::uint64_t{input.totals().deepest()},
              !scan.complete(), std::uint64_t{scan.errors.size()}, scan.changed, scan.seconds);
    cells.emplace_back();  // no rate if the time is below the clock's resolution
    const auto entries = static_cast<double>(whole.entries());
    if (scan.seconds > 0) cells.back() = entries / scan.seconds;
  };
  return {report_info(ReportKind::summary).head, std::move(columns), 1, read};
}

}  // namespace fathom::fs

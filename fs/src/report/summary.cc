// summary: the totals of a scan as a record.

#include <algorithm>
#include <cstdint>

#include "fathom/fs/report.h"

namespace fathom::fs {

namespace {

// The level of the deepest directory.
std::uint32_t depth_of(const ReportInput& input) {
  if (input.part().is_whole()) return input.totals().deepest();
  std::uint32_t deepest = 0;
  input.part().for_each_directory(
      [&](DirId id) { deepest = std::max(deepest, input.depth(input.tree().node(id))); });
  return deepest;
}

// Whether the sums are lower bounds.
bool is_lower_bound(const ReportInput& input) {
  const Subtree& part = input.part();
  if (part.is_whole()) return !input.scan().complete();
  if (input.scan().cancelled || input.scan().running) return true;
  return part.directory() != kNoDir && input.totals().lower_bound(part.directory());
}

std::uint64_t unreadable_in(const ReportInput& input) {
  const auto& errors = input.scan().errors;
  return static_cast<std::uint64_t>(
      std::count_if(errors.begin(), errors.end(),
                    [&](const ScanError& error) { return input.contains(error.path); }));
}

}  // namespace

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
    const Counts& sums = input.sums();
    const Scan& scan = input.scan();
    add_cells(cells, sums.files, sums.dirs, sums.symlinks, sums.others, sums.entries(),
              sums.disk_bytes, sums.apparent_bytes, std::uint64_t{depth_of(input)},
              is_lower_bound(input), unreadable_in(input), scan.changed, scan.seconds);
    cells.emplace_back();  // no rate if the time is below the clock's resolution
    const auto entries = static_cast<double>(input.totals().whole().entries());
    if (scan.seconds > 0) cells.back() = entries / scan.seconds;
  };
  return {report_info(ReportKind::summary).head, std::move(columns), 1, read};
}

}  // namespace fathom::fs

// metrics: a row per directory with its own and its total figures.

#include <utility>

#include "fathom/fs/exclusive.h"
#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/path_order.h"

namespace fathom::fs {

namespace {

// The directories in which something counts.
std::vector<PathOrder::Item> directories_by_path(const Tree& tree, const Totals& totals) {
  std::vector<PathOrder::Item> found;
  tree.for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    if ((tree.flags(node) & kUncounted) != 0 && totals.below(id).entries() == 0) return;
    found.push_back({node, id});
  });
  PathOrder(tree).sort(found);
  return found;
}

std::vector<Column> metric_columns(Measure measure) {
  return {
      {"path", "Path", CellType::path},
      {"depth", "Depth", CellType::number, 5},
      {"files", "Files", CellType::count, 4},
      {"dirs", "Directories", CellType::count, 4},
      {"symlinks", "Symlinks", CellType::count, 5},
      {"others", "Others", CellType::count, 5},
      {"entries", "Entries", CellType::count, 2},
      disk_bytes_column(measure),
      apparent_bytes_column(measure),
      {"exclusive_disk_bytes", "Exclusive", CellType::bytes, 1},
      {"exclusive_apparent_bytes", "Exclusive apparent", CellType::bytes, kRankOfOtherSize},
      {"shared_disk_bytes", "Shared", CellType::bytes, kRankOfOtherSize},
      {"shared_apparent_bytes", "Shared apparent", CellType::bytes, kRankOfOtherSize},
      {"lower_bound", "Lower bound", CellType::bound},
  };
}

}  // namespace

Table metrics(const ReportInput& input) {
  std::vector<PathOrder::Item> found = directories_by_path(input.tree(), input.totals());
  const std::size_t rows = found.size();
  auto read = [&input, found = std::move(found), exclusive = Exclusive(input.tree())](
                  std::size_t row, std::vector<Cell>& cells) {
    const auto [node, id] = found[row];
    const Counts& total = input.totals().below(id);
    const Sizes freed = exclusive.below(id);
    const Sizes kept = shared(total, freed);
    add_cells(cells, input.tree().path(node), std::int64_t{input.tree().depth(id)}, total.files,
              total.dirs, total.symlinks, total.others, total.entries(), total.disk_bytes,
              total.apparent_bytes, freed.disk_bytes, freed.apparent_bytes, kept.disk_bytes,
              kept.apparent_bytes, input.totals().lower_bound(id));
  };
  return {"metrics", "Directories",  TableShape::list, metric_columns(input.measure()),
          rows,      std::move(read)};
}

}  // namespace fathom::fs

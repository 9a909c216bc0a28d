// metrics: a row per directory with its own and its total figures.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/exclusive.h"
#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/path_order.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

// The length of each directory's path by DirId, without building the paths.
std::vector<std::uint64_t> path_lengths(const Tree& tree) {
  std::vector<std::uint64_t> lengths(tree.directory_limit());
  const std::vector<DirId> directories = deepest_first(tree);
  for (auto id = directories.rbegin(); id != directories.rend(); ++id) {
    const std::string_view name = tree.name(tree.node(*id));
    const DirId parent = tree.parent_of(*id);
    if (parent == kNoDir) {
      lengths[*id] = name.size();
      continue;
    }
    const std::string_view above = tree.name(tree.node(parent));
    const bool has_slash = above.ends_with('/');  // of a root, as the user typed it
    lengths[*id] = lengths[parent] + (has_slash ? 0 : 1) + name.size();
  }
  return lengths;
}

struct Directories {
  std::vector<PathOrder::Item> by_path;
  std::uint64_t too_long = 0;
};

// The directories in which something counts.
Directories directories_of(const ReportInput& input) {
  const Tree& tree = input.tree();
  const Totals& totals = input.totals();
  Directories found;
  const std::vector<std::uint64_t> lengths = path_lengths(tree);
  input.part().for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    if ((tree.flags(node) & kUncounted) != 0 && totals.below(id).entries() == 0) return;
    if (lengths[id] > kLongestPath) {
      ++found.too_long;
    } else {
      found.by_path.push_back({node, id});
    }
  });
  PathOrder(tree).sort(found.by_path);
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
  Directories directories = directories_of(input);
  const std::size_t rows = directories.by_path.size();
  auto read = [&input, found = std::move(directories.by_path), exclusive = Exclusive(input.tree())](
                  std::size_t row, std::vector<Cell>& cells) {
    const auto [node, id] = found[row];
    const Counts total = input.totals().below(id);
    const Sizes freed = exclusive.below(id);
    const Sizes kept = shared(total, freed);
    add_cells(cells, input.tree().path(node), std::int64_t{input.depth(node)}, total.files,
              total.dirs, total.symlinks, total.others, total.entries(), total.disk_bytes,
              total.apparent_bytes, freed.disk_bytes, freed.apparent_bytes, kept.disk_bytes,
              kept.apparent_bytes, input.totals().lower_bound(id));
  };
  return {report_info(ReportKind::metrics).head, metric_columns(input.measure()), rows,
          std::move(read), directories.too_long};
}

}  // namespace fathom::fs

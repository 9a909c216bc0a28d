// empty_dirs: directories without children, by path.

#include <utility>

#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/path_order.h"

namespace fathom::fs {

namespace {

constexpr std::uint8_t kNotEmpty = kUncounted | kIncomplete | kHasOmittedChildren;

// A directory that could not be read completely may have further entries, and excluded entries
// count as entries, too.
std::vector<PathOrder::Item> directories_without_entries(const ReportInput& input) {
  const Tree& tree = input.tree();
  std::vector<bool> occupied(tree.directory_limit());
  input.part().for_each_node([&](NodeId node) {
    const DirId parent = tree.parent(node);
    if (parent != kNoDir) occupied[parent] = true;
  });
  std::vector<PathOrder::Item> found;
  input.part().for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    if (occupied[id] || (tree.flags(node) & kNotEmpty) != 0) return;
    found.push_back({node, id});
  });
  return found;
}

}  // namespace

Table empty_dirs(const ReportInput& input) {
  const Tree& tree = input.tree();
  std::vector<PathOrder::Item> found = directories_without_entries(input);
  if (found.size() > 1) PathOrder(tree).sort(found);
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"mtime", "Modified", CellType::time},
  };
  const std::size_t rows = found.size();
  auto read = [&tree, found = std::move(found)](std::size_t row, std::vector<Cell>& cells) {
    const NodeId node = found[row].node;
    add_cells(cells, tree.path(node), time_cell(tree.mtime(node)));
  };
  return {report_info(ReportKind::empty_dirs).head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs

// symlinks: links and their targets, by path.

#include <optional>
#include <string>
#include <utility>

#include "fathom/fs/report.h"
#include "report/path_order.h"

namespace fathom::fs {

namespace {

void add_target(std::vector<Cell>& cells, const std::optional<LinkTarget>& target) {
  if (target) {
    cells.emplace_back(std::string(target->path));
  } else {
    cells.emplace_back();
  }
  if (target && target->end != LinkEnd::unknown) {
    cells.emplace_back(target->end == LinkEnd::missing);
  } else {
    cells.emplace_back();
  }
}

}  // namespace

Table symlinks(const ReportInput& input) {
  const Tree& tree = input.tree();
  std::vector<PathOrder::Item> found;
  input.part().for_each_node([&](NodeId node) {
    if (tree.kind(node) != Kind::symlink || (tree.flags(node) & kRepeated) != 0) return;
    found.push_back({node, node});
  });
  if (found.size() > 1) PathOrder(tree).sort(found);
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"target", "Target", CellType::path},
      {"dangling", "Dangling", CellType::flag},
  };
  const std::size_t rows = found.size();
  auto read = [&tree, found = std::move(found)](std::size_t row, std::vector<Cell>& cells) {
    const NodeId node = found[row].node;
    cells.emplace_back(tree.path(node));
    add_target(cells, tree.link_target(node));
  };
  return {report_info(ReportKind::symlinks).head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs

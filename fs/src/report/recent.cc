// recent: the latest modified entries, with ties by path, and apart from those of the future.

#include <algorithm>
#include <limits>
#include <utility>

#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/path_order.h"

namespace fathom::fs {

namespace {

// The first second that counts, or the first one that can be represented.
std::int64_t seconds_before(std::int64_t now, std::chrono::seconds within) {
  std::int64_t since = 0;
  if (!__builtin_sub_overflow(now, std::int64_t{within.count()}, &since)) return since;
  constexpr std::numeric_limits<std::int64_t> kLimits;
  return within.count() > 0 ? kLimits.min() : kLimits.max();
}

std::vector<PathOrder::Item> changed_since(const ReportInput& input, std::int64_t since) {
  const Tree& tree = input.tree();
  std::vector<PathOrder::Item> found;
  input.part().for_each_node([&](NodeId node) {
    const std::int64_t mtime = tree.mtime(node);
    if (mtime < since || mtime == kUnknownTime || tree.kind(node) == Kind::directory) return;
    if ((tree.flags(node) & (kRepeated | kExtraLink)) == 0) found.push_back({node, node});
  });
  return found;
}

std::vector<PathOrder::Item> by_path(const Tree& tree, std::vector<PathOrder::Item> items) {
  if (items.size() > 1) PathOrder(tree).sort(items);
  return items;
}

// Entries of the same second keep their order. Entries that were modified after now come last.
std::vector<NodeId> latest_first(const Tree& tree, const std::vector<PathOrder::Item>& items,
                                 std::int64_t now) {
  struct Changed {
    std::int64_t mtime;
    NodeId node;
  };
  std::vector<Changed> changed;
  changed.reserve(items.size());
  for (const auto& item : items) changed.push_back({tree.mtime(item.node), item.node});
  std::stable_sort(changed.begin(), changed.end(), [now](const Changed& a, const Changed& b) {
    const bool later_a = a.mtime > now;
    const bool later_b = b.mtime > now;
    return later_a != later_b ? later_b : a.mtime > b.mtime;
  });
  std::vector<NodeId> nodes;
  nodes.reserve(changed.size());
  for (const Changed& entry : changed) nodes.push_back(entry.node);
  return nodes;
}

}  // namespace

Table recent(const ReportInput& input, std::chrono::seconds within) {
  const Tree& tree = input.tree();
  const std::int64_t now = input.now();
  std::vector<NodeId> found =
      latest_first(tree, by_path(tree, changed_since(input, seconds_before(now, within))), now);
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"mtime", "Modified", CellType::time},
      disk_bytes_column(input.measure()),
      apparent_bytes_column(input.measure()),
      {"future", "Modified in the future", CellType::flag},
  };
  const std::size_t rows = found.size();
  auto read = [&tree, now, found = std::move(found)](std::size_t row, std::vector<Cell>& cells) {
    const Entry entry = tree.entry(found[row]);
    add_cells(cells, tree.path(found[row]), entry.mtime, entry.disk_bytes(), entry.apparent_bytes(),
              entry.mtime > now);
  };
  return {report_info(ReportKind::recent).head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs

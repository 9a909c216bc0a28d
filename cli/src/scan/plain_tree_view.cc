// PlainTreeView: writes the tree view in words.

#include "scan/plain_tree_view.h"

#include <cstddef>
#include <cstdint>

#include "scan/kind_mark.h"
#include "scan/tree_view_rows.h"
#include "term/bar.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

std::string plain_tree_view(const fs::ReportInput& input, const View& view) {
  const fs::Tree& tree = input.tree();
  const fs::Totals& totals = input.totals();
  TreeViewLimits limits;
  if (view.top != 0) limits.rows = view.top;
  if (view.depth) limits.depth = *view.depth;
  const bool counts = view.order == Order::count;
  const std::uint64_t whole =
      counts ? totals.whole().entries() : fs::bytes_of(totals.whole(), view.measure);
  const auto figure = [&](std::uint64_t weight) {
    return (counts ? counted(weight, "entry", "entries") : base::format_bytes(weight, view.units)) +
           ", " + percent(weight, whole) + ", ";
  };
  const TreeViewRows picked =
      tree_view_rows(tree, input.children(), totals, view.measure, limits, view.order);
  std::string text;
  for (const TreeViewRow& row : picked.rows) {
    if (row.lower_bound) text += "at least ";
    text += figure(row.weight);
    text += kind_name(tree.kind(row.node));
    text += ' ' + escaped(tree.path(row.node), view.terminal.unicode) + '\n';
  }
  if (picked.rest.entries == 0) return text;
  return text + figure(picked.rest.weight) +
         counted(picked.rest.entries, "more entry", "more entries") + '\n';
}

}  // namespace fathom::cli

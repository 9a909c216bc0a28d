#include "scan/plain_picture.h"

#include <cstddef>
#include <cstdint>

#include "scan/kind_mark.h"
#include "scan/picture_rows.h"
#include "term/bar.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

std::string plain_picture(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  PictureLimits limits;
  if (view.top != 0) limits.rows = view.top;
  if (view.depth) limits.depth = *view.depth;
  const bool counts = view.order == Order::count;
  const std::uint64_t whole =
      counts ? totals.whole().entries() : fs::bytes_of(totals.whole(), view.measure);
  const auto figure = [&](std::uint64_t weight) {
    return (counts ? counted(weight, "entry", "entries") : base::format_bytes(weight, view.units)) +
           ", " + percent(weight, whole) + ", ";
  };
  const PictureRows picked = picture_rows(scan.tree, totals, view.measure, limits, view.order);
  std::string text;
  for (const PictureRow& row : picked.rows) {
    if (row.lower_bound) text += "at least ";
    text += figure(row.weight);
    text += kind_name(scan.tree.kind(row.node));
    text += ' ' + escaped(scan.tree.path(row.node)) + '\n';
  }
  if (picked.rest.entries == 0) return text;
  return text + figure(picked.rest.weight) + counted(picked.rest.entries, "entry", "entries") +
         " more\n";
}

}  // namespace fathom::cli

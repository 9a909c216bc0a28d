// histogram: regular files by size class.

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/tally.h"

namespace fathom::fs {

namespace {

// Powers of four: few enough for one screen, and they include kibibytes, mebibytes and so on. Class
// 0 is that of empty files; class c > 0 has sizes from 4^(c-1) up to 4^c.
constexpr std::size_t kClasses = 33;

std::size_t class_of(std::uint64_t size) {
  return static_cast<std::size_t>(std::bit_width(size) + 1) / 2;
}

std::uint64_t least_of(std::size_t size_class) {
  return size_class == 0 ? 0 : std::uint64_t{1} << 2 * (size_class - 1);
}

using Classes = std::array<Tally, kClasses>;

Classes classes_of(const ReportInput& input) {
  const Tree& tree = input.tree();
  Classes classes = {};
  input.part().for_each_node([&](NodeId node) {
    if (tree.kind(node) != Kind::file) return;
    if ((tree.flags(node) & (kRepeated | kExtraLink)) != 0) return;
    classes[class_of(tree.size(node))].add(tree, node);
  });
  return classes;
}

}  // namespace

Table histogram(const ReportInput& input) {
  const Classes classes = classes_of(input);
  const auto has_files = [](const Tally& tally) { return tally.files > 0; };
  const auto begin = std::find_if(classes.begin(), classes.end(), has_files);
  const auto end = std::find_if(classes.rbegin(), classes.rend(), has_files).base();
  const auto first = static_cast<std::size_t>(begin - classes.begin());
  const auto rows = static_cast<std::size_t>(std::max<std::ptrdiff_t>(end - begin, 0));
  std::uint64_t files = 0;
  for (const Tally& tally : classes) files += tally.files;
  std::vector<Column> columns = {
      {"at_least", "At least", CellType::bytes}, {"below", "Below", CellType::bytes, 2},
      {"files", "Files", CellType::count},       disk_bytes_column(input.measure()),
      apparent_bytes_column(input.measure()),    {"share", "Share of files", CellType::share, 1},
  };
  auto read = [classes, first, files](std::size_t row, std::vector<Cell>& cells) {
    const std::size_t size_class = first + row;
    const Tally& tally = classes[size_class];
    cells.emplace_back(least_of(size_class));
    if (size_class + 1 < kClasses) {
      cells.emplace_back(least_of(size_class + 1));
    } else {
      cells.emplace_back();
    }
    add_cells(cells, tally.files, tally.disk_bytes, tally.apparent_bytes,
              share_of(tally.files, files));
  };
  return {report_info(ReportKind::histogram).head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs

// PlainTable: writes a report in words.

#include "view/plain_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "term/number.h"
#include "view/cell_text.h"

namespace fathom::cli {

namespace {

bool is_lower_bound(const std::vector<fs::Column>& columns, const std::vector<fs::Cell>& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].type != fs::CellType::bound) continue;
    const bool* yes = std::get_if<bool>(&cells[i]);
    if (yes != nullptr && *yes) return true;
  }
  return false;
}

// ", 2,048 bytes", to follow a rounded size.
std::string exact(const fs::Cell& cell, fs::CellType type) {
  constexpr std::uint64_t kLeastRounded = 1000;
  const auto* bytes = std::get_if<std::uint64_t>(&cell);
  if (type != fs::CellType::bytes || bytes == nullptr || *bytes < kLeastRounded) return "";
  return ", " + grouped(*bytes) + " bytes";
}

void write_row(const fs::Table& table, const std::vector<fs::Cell>& cells, const View& view,
               fs::Blocks& text) {
  const std::vector<fs::Column>& columns = table.columns();
  const bool bound = is_lower_bound(columns, cells);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].type == fs::CellType::bound) continue;
    text.put(columns[i].heading);
    text.put(": ");
    if (bound && columns[i].type == fs::CellType::bytes) text.put("at least ");
    text.put(cell_text(cells[i], columns[i].type, view.units, view.terminal.unicode));
    if (table.shape() == fs::TableShape::record) text.put(exact(cells[i], columns[i].type));
    text.put('\n');
  }
}

}  // namespace

void write_plain_table(const fs::Table& table, const View& view, fs::Blocks& text) {
  text.put(table.title());
  text.put(table.rows() == 0 ? ": none\n" : "\n");
  const std::size_t rows = view.top == 0 ? table.rows() : std::min(table.rows(), view.top);
  std::vector<fs::Cell> cells;
  for (std::size_t row = 0; row < rows && text.wanted(); ++row) {
    read_shown(table, row, cells);
    if (row != 0) text.put('\n');
    write_row(table, cells, view, text);
  }
  if (rows < table.rows()) text.put("\nand " + grouped(table.rows() - rows) + " more\n");
}

}  // namespace fathom::cli

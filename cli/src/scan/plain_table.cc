#include "scan/plain_table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "scan/cell_text.h"
#include "term/number.h"

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

void write_row(const std::vector<fs::Column>& columns, const std::vector<fs::Cell>& cells,
               base::Units units, fs::Blocks& text) {
  const bool bound = is_lower_bound(columns, cells);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].type == fs::CellType::bound) continue;
    text.put(columns[i].heading);
    text.put(": ");
    if (bound && columns[i].type == fs::CellType::bytes) text.put("at least ");
    text.put(cell_text(cells[i], columns[i].type, units));
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
    table.read(row, cells);
    if (row != 0) text.put('\n');
    write_row(table.columns(), cells, view.units, text);
  }
  if (rows < table.rows()) text.put("\nand " + grouped(table.rows() - rows) + " more\n");
}

}  // namespace fathom::cli

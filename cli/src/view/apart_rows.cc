// ApartRows: ranges of the rows of a table, without its last column.

#include "view/apart_rows.h"

#include <utility>
#include <vector>

#include "term/number.h"
#include "view/arranged_table.h"

namespace fathom::cli {

ApartRows::ApartRows(const fs::Table& table)
    : table_(table),
      first_(first_apart(table)),
      title_(std::string(table.columns().back().heading) + ": " +
             counted(table.rows() - first_, "entry", "entries")) {}

fs::Table ApartRows::others() const {
  return part(table_.head(), 0, first_);
}

fs::Table ApartRows::apart() const {
  fs::TableHead head = table_.head();
  head.title = title_;
  return part(head, first_, table_.rows());
}

fs::Table ApartRows::part(fs::TableHead head, std::size_t first, std::size_t end) const {
  head.order = fs::RowOrder::free;
  std::vector<fs::Column> columns = table_.columns();
  columns.pop_back();
  auto read = [this, first](std::size_t row, std::vector<fs::Cell>& cells) {
    table_.read(first + row, cells);
    cells.pop_back();
  };
  return {head, std::move(columns), end - first, std::move(read)};
}

}  // namespace fathom::cli

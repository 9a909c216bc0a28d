// ArrangedTable: sorting and cutting a report.

#include "view/arranged_table.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fathom::cli {

namespace {

bool is_key(const fs::Column& column, Order order) {
  switch (order) {
    case Order::size:
      return column.type == fs::CellType::bytes;
    case Order::count:
      return column.type == fs::CellType::count;
    case Order::name:
      return column.type == fs::CellType::path || column.type == fs::CellType::text;
    case Order::mtime:
      return column.type == fs::CellType::time;
  }
  return false;
}

// The column to sort by: for sizes the one of the measure, for names the path, for counts the
// entries. If there is none of these, the first column with a suitable type.
std::optional<std::size_t> key_column(const fs::Table& table, Order order, fs::Measure measure) {
  const std::string_view size =
      measure == fs::Measure::disk ? "disk_bytes" : std::string_view("apparent_bytes");
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const fs::Column& column = table.columns()[i];
    if (!is_key(column, order)) continue;
    if (!best) best = i;
    const bool wanted = order == Order::size    ? column.key == size
                        : order == Order::count ? column.key == "entries"
                                                : column.key == "path";
    if (wanted) return i;
  }
  return best;
}

std::vector<std::size_t> ordered_rows(const fs::Table& table, Order order, std::size_t column) {
  std::vector<fs::Cell> keys;
  std::vector<fs::Cell> cells;
  keys.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    table.read(row, cells);
    keys.push_back(std::move(cells[column]));
  }
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&keys, order](std::size_t a, std::size_t b) {
    return order == Order::name ? keys[a] < keys[b] : keys[b] < keys[a];
  });
  return rows;
}

// All rows of a scale: first the rows to show, then the others, each in their original order.
std::vector<std::size_t> largest_rows(const fs::Table& table, const Arrangement& arrangement) {
  const bool by_count = arrangement.order == Order::count;
  const Order order = by_count ? Order::count : Order::size;
  const auto column = key_column(table, order, arrangement.measure);
  if (!column) return {};
  std::vector<std::size_t> rows = ordered_rows(table, order, *column);
  const auto shown = rows.begin() + static_cast<std::ptrdiff_t>(arrangement.rows);
  std::sort(rows.begin(), shown);
  std::sort(shown, rows.end());
  return rows;
}

// The order of the rows; empty: the order of the table.
std::vector<std::size_t> order_of(const fs::Table& table, const Arrangement& arrangement) {
  if (table.head().order == fs::RowOrder::scale) {
    const bool cut = arrangement.rows != 0 && arrangement.rows < table.rows();
    return cut ? largest_rows(table, arrangement) : std::vector<std::size_t>();
  }
  if (!arrangement.order) return {};
  const auto column = key_column(table, *arrangement.order, arrangement.measure);
  if (!column) return {};
  std::vector<std::size_t> rows = ordered_rows(table, *arrangement.order, *column);
  if (table.head().order == fs::RowOrder::apart) {
    const std::size_t apart = first_apart(table);
    std::stable_partition(rows.begin(), rows.end(),
                          [apart](std::size_t row) { return row < apart; });
  }
  return rows;
}

}  // namespace

std::size_t first_apart(const fs::Table& table) {
  std::vector<fs::Cell> cells;
  std::size_t first = 0;
  for (std::size_t end = table.rows(); first < end;) {
    const std::size_t middle = first + (end - first) / 2;
    table.read(middle, cells);
    if (std::get<bool>(cells.back())) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

fs::Table arranged(fs::Table table, const Arrangement& arrangement) {
  if (table.shape() == fs::TableShape::record) return table;
  if (table.head().order == fs::RowOrder::sum) return table;
  std::vector<std::size_t> order = order_of(table, arrangement);
  std::size_t rows = table.rows();
  if (arrangement.rows != 0 && !arrangement.keeps_rest) rows = std::min(rows, arrangement.rows);
  if (order.empty() && rows == table.rows()) return table;
  const auto whole = std::make_shared<const fs::Table>(std::move(table));
  auto read = [whole, order = std::move(order)](std::size_t row, std::vector<fs::Cell>& cells) {
    whole->read(order.empty() ? row : order[row], cells);
  };
  return {whole->head(), whole->columns(), rows, std::move(read), whole->too_long()};
}

}  // namespace fathom::cli

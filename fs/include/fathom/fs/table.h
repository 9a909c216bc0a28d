// Table: the result of a report, as named columns and rows of cells, for any format to write.
//
// A report states its result once; JSON, CSV and text each know how to write every type of cell.
// Rows are made on demand, so a report on a million entries stores a number for each and no path. A
// table refers to the scan that it was made from, which must outlive it.
//
//   Table table = largest_files(input, 10);
//   for (std::size_t row = 0; row < table.rows(); ++row) {
//     table.read(row, cells);                       // reuses the vector
//     for (std::size_t i = 0; i < cells.size(); ++i) write(table.columns()[i], cells[i]);
//   }

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fathom::fs {

// What a cell means, which decides how each format writes it. The type that Cell holds is in
// parentheses.
enum class CellType : std::uint8_t {
  count,    // of things (std::uint64_t)
  bytes,    // (std::uint64_t)
  number,   // a plain integer: an id, an errno, a depth (std::int64_t)
  share,    // of a total, 0 to 1 (double)
  seconds,  // a duration (double)
  rate,     // things per second (double)
  time,     // seconds since the epoch, may be negative (std::int64_t)
  flag,     // yes or no (bool)
  bound,    // whether the row's bytes are lower bounds; text marks the bytes instead (bool)
  text,     // UTF-8 (std::string)
  path,     // the bytes of a name or a path (std::string)
};

// std::monostate means unknown or not applicable: null in JSON.
using Cell = std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string>;

// Appends a cell for each value. It moves the values, where an initializer list would copy them.
template <class... Values>
void add_cells(std::vector<Cell>& cells, Values&&... values) {
  (cells.emplace_back(std::forward<Values>(values)), ...);
}

struct Column {
  std::string_view key;      // for JSON and CSV; scripts rely on it
  std::string_view heading;  // for text
  CellType type;
  // On a narrow terminal, text drops the columns of the highest rank first, and of equal ranks the
  // last; never a path, and never the last column.
  std::uint8_t rank = 0;
  // What text shows in place of the cell, made from the cells of the row; null: the cell itself.
  Cell (*shown)(const std::vector<Cell>& row) = nullptr;
  bool with_next = false;  // text drops it if it drops the next column: they are a pair
};

enum class TableShape : std::uint8_t {
  list,    // any number of rows: an array in JSON
  record,  // one row; one line per column in text: an object in JSON
};

// Whether a view may sort the rows, and show only some of them.
enum class RowOrder : std::uint8_t {
  free,   // any order, and the first rows alone
  scale,  // the rows are the steps of a scale: no other order, but the largest rows alone
  sum,    // the rows add up: no other order, and all of them
  apart,  // any order, but the rows whose last cell, a flag, is true come after the others; text
          // shows these below the heading of that column, and not the column
};

// The properties of a table that do not depend on its rows. The texts are literals.
struct TableHead {
  std::string_view key;    // in JSON: "largest_files"
  std::string_view title;  // in text: "Largest files"
  TableShape shape = TableShape::list;
  RowOrder order = RowOrder::free;
  std::string_view note = {};  // a sentence that text shows below the rows
};

// In bytes: no system call takes a longer path. A table with a row for each directory lists no
// longer ones, because its size would grow with the square of the depth of a tree, which anybody
// can make as deep as they like.
inline constexpr std::size_t kLongestPath = 4095;

class Table {
 public:
  using ReadRow = std::function<void(std::size_t row, std::vector<Cell>& cells)>;

  // The keys and headings of the columns are literals. `read` appends one cell per column to a
  // vector that is empty; any thread may call it, for any row, any number of times. `too_long` is
  // the number of rows that are missing because their paths are longer than kLongestPath.
  Table(TableHead head, std::vector<Column> columns, std::size_t rows, ReadRow read,
        std::uint64_t too_long = 0)
      : head_(head),
        columns_(std::move(columns)),
        rows_(rows),
        read_(std::move(read)),
        too_long_(too_long) {}

  [[nodiscard]] const TableHead& head() const { return head_; }
  [[nodiscard]] std::string_view key() const { return head_.key; }
  [[nodiscard]] std::string_view title() const { return head_.title; }
  [[nodiscard]] TableShape shape() const { return head_.shape; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t too_long() const { return too_long_; }
  void read(std::size_t row, std::vector<Cell>& cells) const {
    cells.clear();
    read_(row, cells);
  }

 private:
  TableHead head_;
  std::vector<Column> columns_;
  std::size_t rows_;
  ReadRow read_;
  std::uint64_t too_long_;
};

}  // namespace fathom::fs

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
};

enum class TableShape : std::uint8_t {
  list,    // any number of rows: an array in JSON
  record,  // one row; one line per column in text: an object in JSON
};

class Table {
 public:
  using ReadRow = std::function<void(std::size_t row, std::vector<Cell>& cells)>;

  // key and title, also those of the columns, are literals. `read` appends one cell per column to
  // a vector that is empty; any thread may call it, for any row, any number of times.
  Table(std::string_view key, std::string_view title, TableShape shape, std::vector<Column> columns,
        std::size_t rows, ReadRow read)
      : key_(key),
        title_(title),
        shape_(shape),
        columns_(std::move(columns)),
        rows_(rows),
        read_(std::move(read)) {}

  [[nodiscard]] std::string_view key() const { return key_; }      // in JSON: "largest_files"
  [[nodiscard]] std::string_view title() const { return title_; }  // in text: "Largest files"
  [[nodiscard]] TableShape shape() const { return shape_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  void read(std::size_t row, std::vector<Cell>& cells) const {
    cells.clear();
    read_(row, cells);
  }

 private:
  std::string_view key_;
  std::string_view title_;
  TableShape shape_;
  std::vector<Column> columns_;
  std::size_t rows_;
  ReadRow read_;
};

}  // namespace fathom::fs

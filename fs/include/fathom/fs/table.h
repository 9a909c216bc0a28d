// Table: what a report found, as columns with names and rows of cells, for any format to write.
//
// A report says what it found once; JSON, CSV and text each know how to write every kind of cell.
// Rows are made when they are asked for, so a report on a million entries holds a number for each
// and no path. A table refers to the scan that it was made of, which must outlive it.
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

// What a cell means, which decides how each format writes it. In parentheses what Cell holds.
enum class CellType : std::uint8_t {
  count,    // of things (std::uint64_t)
  bytes,    // (std::uint64_t)
  number,   // a plain integer: an id, an errno, a depth (std::int64_t)
  share,    // of a whole, 0 to 1 (double)
  seconds,  // a duration (double)
  rate,     // things per second (double)
  time,     // seconds since the epoch, may be negative (std::int64_t)
  flag,     // yes or no (bool)
  bound,    // whether the row's bytes are lower bounds; text marks them instead (bool)
  text,     // UTF-8 (std::string)
  path,     // bytes of a name or a path (std::string)
};

// Nothing (std::monostate) stands for what is not known or does not apply: JSON's null.
using Cell = std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string>;

// Appends a cell for each value, which moves what a list in braces would copy.
template <class... Values>
void add_cells(std::vector<Cell>& cells, Values&&... values) {
  (cells.emplace_back(std::forward<Values>(values)), ...);
}

struct Column {
  std::string_view key;      // of JSON and CSV: a promise to scripts
  std::string_view heading;  // of text
  CellType type;
  // On a narrow terminal text leaves out the columns of the highest rank first, of equal ones the
  // last; never a path, nor the last of those that remain.
  std::uint8_t rank = 0;
};

enum class TableShape : std::uint8_t {
  list,    // any number of rows: an array in JSON
  record,  // one row, one line for each column in text: an object in JSON
};

class Table {
 public:
  using ReadRow = std::function<void(std::size_t row, std::vector<Cell>& cells)>;

  // key and title, and those of the columns, are literals. read fills cells, which it gets empty,
  // with one for each column; it may be called by any thread, for any row, any number of times.
  Table(std::string_view key, std::string_view title, TableShape shape, std::vector<Column> columns,
        std::size_t rows, ReadRow read)
      : key_(key),
        title_(title),
        shape_(shape),
        columns_(std::move(columns)),
        rows_(rows),
        read_(std::move(read)) {}

  [[nodiscard]] std::string_view key() const { return key_; }      // of JSON: "largest_files"
  [[nodiscard]] std::string_view title() const { return title_; }  // of text: "Largest files"
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

// A report as lines of text, so that a test shows the expected table.
//
//   const Reported of(made.finish());
//   EXPECT_EQ(lines(histogram(of.input()), {"at_least", "files"}), (Lines{"0 1", "1 2"}));

#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fathom/fs/report.h"

namespace fathom::fs {

using Lines = std::vector<std::string>;

// Null is "-", an empty text "''", a flag "yes" or "no".
inline std::string text_of(const Cell& cell) {
  std::ostringstream text;
  std::visit(
      [&text](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          text << '-';
        } else if constexpr (std::is_same_v<Value, bool>) {
          text << (value ? "yes" : "no");
        } else {
          text << value;
        }
      },
      cell);
  return text.str().empty() ? "''" : text.str();
}

// Whether a cell has the type of its column.
inline bool fits(const Cell& cell, CellType type) {
  if (std::holds_alternative<std::monostate>(cell)) return true;
  switch (type) {
    case CellType::count:
    case CellType::bytes:
      return std::holds_alternative<std::uint64_t>(cell);
    case CellType::number:
    case CellType::time:
      return std::holds_alternative<std::int64_t>(cell);
    case CellType::share:
    case CellType::seconds:
    case CellType::rate:
      return std::holds_alternative<double>(cell);
    case CellType::flag:
    case CellType::bound:
      return std::holds_alternative<bool>(cell);
    case CellType::text:
    case CellType::path:
      return std::holds_alternative<std::string>(cell);
  }
  return false;
}

// The cells of these columns, or of all, separated by spaces. Throws if a row does not match the
// columns.
inline Lines lines(const Table& table, const std::vector<std::string_view>& keys = {}) {
  const std::vector<Column>& columns = table.columns();
  for (const std::string_view key : keys) {
    if (std::none_of(columns.begin(), columns.end(),
                     [key](const Column& column) { return column.key == key; })) {
      throw std::runtime_error("no such column: " + std::string(key));
    }
  }
  Lines result;
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    table.read(row, cells);
    if (cells.size() != columns.size()) throw std::runtime_error("a row of another length");
    std::string line;
    const auto write = [&](std::size_t i) {
      line += (line.empty() ? "" : " ") + text_of(cells[i]);
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!fits(cells[i], columns[i].type)) {
        throw std::runtime_error("a cell of another type: " + std::string(columns[i].key));
      }
      if (keys.empty()) write(i);
    }
    for (const std::string_view key : keys) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (columns[i].key == key) write(i);
      }
    }
    result.push_back(line);
  }
  return result;
}

// A tree with the input of its reports.
class Reported {
 public:
  explicit Reported(Tree tree, Measure measure = Measure::disk, std::int64_t now = 0)
      : scan_(scan_of(std::move(tree))),
        totals_(scan_.tree),
        input_(scan_, totals_, measure, now) {}

  [[nodiscard]] const ReportInput& input() const { return input_; }
  [[nodiscard]] const Tree& tree() const { return scan_.tree; }
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  static Scan scan_of(Tree tree) {
    Scan scan;
    scan.tree = std::move(tree);
    return scan;
  }

  const Scan scan_;
  const Totals totals_;
  const ReportInput input_;
};

}  // namespace fathom::fs

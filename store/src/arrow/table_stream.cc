// Tables as streams: rows are read one by one, because a report makes them on demand.

#include <algorithm>
#include <bit>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "arrow/arrow_stream.h"
#include "fathom/fs/utf8.h"
#include "snapshot/entry_columns.h"

namespace fathom::store {

namespace {

constexpr std::size_t kTableBatchRows = 16 * 1024;

ArrowType arrow_type(fs::CellType type) {
  switch (type) {
    case fs::CellType::count:
    case fs::CellType::bytes:
      return ArrowType::uint64;
    case fs::CellType::number:
      return ArrowType::int64;
    case fs::CellType::share:
    case fs::CellType::seconds:
    case fs::CellType::rate:
      return ArrowType::float64;
    case fs::CellType::time:
      return ArrowType::seconds;
    case fs::CellType::flag:
    case fs::CellType::bound:
      return ArrowType::boolean;
    case fs::CellType::text:
    case fs::CellType::path:
      break;
  }
  return ArrowType::string;
}

class TableBatches : public BatchSource {
 public:
  TableBatches(std::shared_ptr<const void> owner, fs::Table table)
      : owner_(std::move(owner)), table_(std::move(table)) {
    for (const fs::Column& column : table_.columns()) {
      fields_.push_back({std::string(column.key), arrow_type(column.type), true});
    }
    columns_ = fields_.size();
    for (std::size_t i = 0; i < columns_; ++i) {
      if (table_.columns()[i].type != fs::CellType::path) continue;
      raw_of_.push_back(i);
      fields_.push_back({fields_[i].name + "_raw", ArrowType::binary, true});
    }
  }

  [[nodiscard]] const std::vector<ArrowField>& fields() const override { return fields_; }

  [[nodiscard]] std::optional<OwnedArray> next() override {
    if (at_ == table_.rows()) return std::nullopt;
    const std::size_t end = std::min(table_.rows(), at_ + kTableBatchRows);
    std::vector<Values> values(fields_.size());
    std::deque<std::string> texts;
    std::vector<fs::Cell> cells;
    const std::size_t rows = end - at_;
    for (std::size_t row = at_; row < end; ++row) {
      table_.read(row, cells);
      add_row(cells, values, texts);
    }
    std::vector<OwnedArray> arrays;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      arrays.push_back(arrow_array(fields_[i].type, rows, values[i]));
    }
    at_ = end;  // not before: an error must not skip rows
    return arrow_batch(rows, std::move(arrays));
  }

 private:
  void add_row(std::vector<fs::Cell>& cells, std::vector<Values>& values,
               std::deque<std::string>& texts) const {
    for (std::size_t i = 0; i < raw_of_.size(); ++i) {
      add_raw(cells[raw_of_[i]], values[columns_ + i], texts);
    }
    for (std::size_t i = 0; i < columns_; ++i) {
      values[i].present.push_back(std::holds_alternative<std::monostate>(cells[i]) ? 0 : 1);
      std::visit([&](auto& value) { add_value(value, values[i], texts); }, cells[i]);
    }
  }

  static void add_raw(const fs::Cell& cell, Values& values, std::deque<std::string>& texts) {
    const auto* const path = std::get_if<std::string>(&cell);
    const bool raw = path != nullptr && !fs::is_utf8(*path);
    values.present.push_back(raw ? 1 : 0);
    if (raw) values.texts.push_back(texts.emplace_back(*path));
  }

  static void add_value(std::monostate, Values&, std::deque<std::string>&) {}
  static void add_value(std::string& text, Values& values, std::deque<std::string>& texts) {
    values.texts.push_back(as_text(texts.emplace_back(std::move(text)), texts));
  }
  static void add_value(double value, Values& values, std::deque<std::string>&) {
    values.numbers.push_back(std::bit_cast<std::int64_t>(value));
  }
  template <class Number>
  static void add_value(Number value, Values& values, std::deque<std::string>&) {
    values.numbers.push_back(static_cast<std::int64_t>(value));
  }

  const std::shared_ptr<const void> owner_;
  const fs::Table table_;
  std::vector<ArrowField> fields_;
  std::size_t columns_ = 0;          // those of the table come first
  std::vector<std::size_t> raw_of_;  // then a column for each path
  std::size_t at_ = 0;
};

}  // namespace

void stream_table(std::shared_ptr<const void> owner, fs::Table table, ArrowArrayStream& stream) {
  make_stream(std::make_unique<TableBatches>(std::move(owner), std::move(table)), stream);
}

}  // namespace fathom::store

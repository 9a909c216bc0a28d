// write_csv: formats the cells of a table as RFC 4180 requires.

#include "fathom/fs/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fathom/fs/blocks.h"
#include "fathom/fs/json_writer.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kEndOfLine = "\r\n";  // RFC 4180
// The full-width forms of = + - @ are taken for these by some spreadsheets.
constexpr std::string_view kFormulaStarts[] = {"=",  "+",      "-",      "@",      "\t",    "\r",
                                               "\n", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
// Where a spreadsheet may begin a new cell, depending on its settings.
constexpr std::string_view kSeparators = ";\t\r\n";

bool begins_formula(std::string_view text) {
  return std::any_of(std::begin(kFormulaStarts), std::end(kFormulaStarts),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// With a single quote before everything that a spreadsheet might take for a formula.
std::string without_formulas(std::string_view text) {
  std::string safe;
  bool at_start = true;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (at_start && begins_formula(text)) safe += '\'';
    safe += text.front();
    at_start = kSeparators.find(text.front()) != std::string_view::npos;
  }
  return safe;
}

// Writes a cell as one field.
class FieldWriter {
 public:
  FieldWriter(Blocks& text, CsvTexts texts) : text_(text), texts_(texts) {}

  void operator()(std::monostate) {}
  void operator()(std::uint64_t value) { integer(value); }
  void operator()(std::int64_t value) { integer(value); }
  void operator()(bool value) { text_.put(value ? "true" : "false"); }
  void operator()(const std::string& bytes) {
    texts_ == CsvTexts::safe ? text(without_formulas(bytes)) : text(bytes);
  }
  void operator()(double value) {
    if (!std::isfinite(value)) return;
    const auto [end, code] = std::to_chars(digits_.begin(), digits_.end(), value,
                                           std::chars_format::fixed, JsonWriter::kDecimals);
    if (code != std::errc()) return;
    std::string_view number(digits_.data(), static_cast<std::size_t>(end - digits_.begin()));
    while (number.ends_with('0')) number.remove_suffix(1);
    if (number.ends_with('.')) number.remove_suffix(1);
    text_.put(number);
  }

 private:
  template <class Integer>
  void integer(Integer value) {
    const char* end = std::to_chars(digits_.begin(), digits_.end(), value).ptr;
    text_.put({digits_.data(), static_cast<std::size_t>(end - digits_.begin())});
  }

  void text(std::string_view bytes) {
    if (bytes.find_first_of("\",\r\n") == std::string_view::npos) return text_.put(bytes);
    text_.put('"');
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, bytes.find('"'));
      text_.put(part);
      bytes.remove_prefix(part.size());
      if (bytes.empty()) break;
      text_.put("\"\"");
      bytes.remove_prefix(1);
    }
    text_.put('"');
  }

  Blocks& text_;
  const CsvTexts texts_;
  std::array<char, 400> digits_{};  // the largest double has 309 before its point
};

}  // namespace

void write_csv(const Table& table, const Sink& sink, CsvTexts texts) {
  Blocks text(sink);
  FieldWriter field(text, texts);
  std::string_view separator;
  for (const Column& column : table.columns()) {
    text.put(separator);
    text.put(column.key);
    separator = ",";
  }
  text.put(kEndOfLine);
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < table.rows() && text.wanted(); ++row) {
    table.read(row, cells);
    separator = "";
    for (const Cell& cell : cells) {
      text.put(separator);
      std::visit(field, cell);
      separator = ",";
    }
    text.put(kEndOfLine);
  }
  text.flush();
}

}  // namespace fathom::fs

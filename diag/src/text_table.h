// TextTable: rows of words in aligned columns, for reports.
//
//   TextTable table({"lock", "waits"});   // the first column is aligned left, the others right
//   table.add({"tree", "12"});
//   std::string text = table.text();

#pragma once

#include <string>
#include <vector>

namespace fathom::diag {

class TextTable {
 public:
  using Row = std::vector<std::string>;

  explicit TextTable(Row heading) { rows_.push_back(std::move(heading)); }

  // The row must have as many words as the heading.
  void add(Row row) { rows_.push_back(std::move(row)); }

  // One line per row, each with the indent.
  [[nodiscard]] std::string text(const std::string& indent = "") const;

 private:
  std::vector<Row> rows_;
};

// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(unsigned long long number);

}  // namespace fathom::diag

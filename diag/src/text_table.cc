// TextTable: padding columns.

#include "text_table.h"

#include <algorithm>
#include <cstddef>

namespace fathom::diag {

std::string TextTable::text(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows_) {
    text += indent + row[0];
    std::size_t blanks = widths[0] - row[0].size();
    for (std::size_t i = 1; i < widths.size(); ++i) {
      text += std::string(blanks + 2 + widths[i] - row[i].size(), ' ') + row[i];
      blanks = 0;
    }
    text += '\n';
  }
  return text;
}

std::string grouped(unsigned long long number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace fathom::diag

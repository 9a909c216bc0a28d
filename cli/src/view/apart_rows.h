// ApartRows: the two parts of a table with rows that stand apart (fs::RowOrder::apart).
//
//   const ApartRows parts(table);
//   write(parts.others());
//   if (!parts.empty()) write(parts.apart());

#pragma once

#include <cstddef>
#include <string>

#include "fathom/fs/table.h"

namespace fathom::cli {

class ApartRows {
 public:
  // The table must outlive the object, which must outlive its parts.
  explicit ApartRows(const fs::Table& table);

  // Whether no row stands apart.
  [[nodiscard]] bool empty() const { return first_ == table_.rows(); }

  // Both are without the column of the flag. The title of the rows that stand apart is its heading,
  // with their number.
  [[nodiscard]] fs::Table others() const;
  [[nodiscard]] fs::Table apart() const;

 private:
  [[nodiscard]] fs::Table part(fs::TableHead head, std::size_t first, std::size_t end) const;

  const fs::Table& table_;
  const std::size_t first_;  // row that stands apart
  const std::string title_;
};

}  // namespace fathom::cli

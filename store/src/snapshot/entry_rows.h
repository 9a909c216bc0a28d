// EntryRows: values of some rows of entries.parquet, of which only the pages are read.
//
//   EntryRows rows(snapshot.files().entries);
//   for (const EntryRows::Part& part : rows.parts(intervals)) {
//     rows.each(EntryColumn::size, part,
//               [](const Values& values, std::size_t value) { ... values.numbers[value] ... },
//               [] { ... });
//   }

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "parquet/file_reader.h"
#include "parquet/schema.h"
#include "snapshot/directory_table.h"
#include "snapshot/entry_columns.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// Each thread needs its own. Functions throw base::Error, with the name of the file, if it is
// damaged.
class EntryRows {
 public:
  // Rows of one group: those whose pages are decoded, and those that are wanted.
  struct Part {
    std::size_t group = 0;
    RowInterval pages;                // in the group
    std::vector<RowInterval> wanted;  // in the pages

    [[nodiscard]] std::size_t rows() const;
  };

  explicit EntryRows(const LazyTable& file);
  ~EntryRows();

  // The rows of the intervals, which must ascend and be inside the file. A page between two parts
  // has no such row.
  [[nodiscard]] std::vector<Part> parts(std::span<const RowInterval> rows) const;

  // Calls take(values, index of the value) for each wanted row in turn, and none() for those
  // without a value. Texts are valid until the next call for this column.
  template <class Take, class None>
  void each(EntryColumn column, const Part& part, const Take& take, const None& none) {
    const Values& values = decode(column, part);
    const bool optional = !values.present.empty();
    std::size_t row = 0;
    std::size_t value = 0;
    for (const RowInterval& rows : part.wanted) {
      const auto at = [&values](std::size_t index) {
        return values.present.begin() + static_cast<std::ptrdiff_t>(index);
      };
      value += optional ? static_cast<std::size_t>(std::count(at(row), at(rows.begin), 1))
                        : rows.begin - row;
      for (row = rows.begin; row < rows.end; ++row) {
        if (!optional || values.present[row] != 0) {
          take(values, value++);
        } else {
          none();
        }
      }
    }
  }

 private:
  const Values& decode(EntryColumn column, const Part& part);

  const LazyTable& file_;
  std::vector<std::unique_ptr<ChunkDecoder>> decoders_;  // by EntryColumn
  Values values_;
};

}  // namespace fathom::store

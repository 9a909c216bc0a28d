// DirectoryTable: dirs.parquet as a table in which any row can be looked up. Pages are decoded when
// they are first needed, and kept.
//
//   DirectoryTable table(snapshot.files().directories);
//   if (auto row = table.find("/srv/data")) table.number(DirectoryColumn::disk_bytes, *row);

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/rt/executor.h"
#include "parquet/file_reader.h"
#include "snapshot/directory_columns.h"
#include "snapshot/row_hash.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// Consecutive rows.
struct RowInterval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] bool contains(std::uint64_t row) const { return row >= begin && row < end; }
  [[nodiscard]] bool overlaps(const RowInterval& other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(const RowInterval&) const = default;
};

// Not for several threads at a time. All functions throw base::Error, with the name of the file, if
// it is damaged.
class DirectoryTable {
 public:
  explicit DirectoryTable(const LazyTable& file);
  ~DirectoryTable();
  DirectoryTable(DirectoryTable&&) noexcept;

  [[nodiscard]] std::uint64_t rows() const { return reader_.rows(); }

  // The value of a column of numbers; 0 if it is missing.
  [[nodiscard]] std::int64_t number(DirectoryColumn column, std::uint64_t row);
  // Nothing if it is missing.
  [[nodiscard]] std::optional<std::int64_t> known_number(DirectoryColumn column, std::uint64_t row);
  // Of a column of texts; empty if it is missing. Valid as long as the table.
  [[nodiscard]] std::string_view text(DirectoryColumn column, std::uint64_t row);
  [[nodiscard]] Hash128 hash(DirectoryColumn column, std::uint64_t row);

  // The bytes of the name; of a root, its path.
  [[nodiscard]] std::string_view name(std::uint64_t row);

  [[nodiscard]] RowInterval roots();
  [[nodiscard]] RowInterval subdirectories(std::uint64_t row);
  // The rows of entries.parquet: the directory itself and everything below it.
  [[nodiscard]] RowInterval entries(std::uint64_t row);
  // Whether the directory was reached twice, and is counted at another path.
  [[nodiscard]] bool is_repeated(std::uint64_t row);
  // How many of its entries count. A damaged snapshot can hold any numbers: the sum saturates.
  [[nodiscard]] std::uint64_t entry_count(std::uint64_t row);
  // The subdirectory with this name.
  [[nodiscard]] std::optional<std::uint64_t> find_in(RowInterval siblings, std::string_view name);
  // The directory with this absolute path.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view path);

  // Decodes pages that will be needed, in parallel.
  void prefetch(std::span<const DirectoryColumn> columns, std::span<const RowInterval> rows,
                rt::Executor& executor);

 private:
  // The values of a column in some rows, one for each.
  struct Page {
    std::uint64_t first_row = 0;
    std::uint64_t rows = 0;
    std::vector<std::int64_t> numbers;
    std::string bytes;                    // of the texts
    std::vector<std::string_view> texts;  // in bytes
    std::vector<std::uint8_t> present;    // if the column is optional
  };
  struct ColumnPages {
    std::vector<std::unique_ptr<Page>> pages;  // by page of the file; null: not decoded
    const Page* last = nullptr;                // the one that was used last
    std::uint64_t bytes = 0;                   // of the texts of all pages
    std::unique_ptr<ChunkDecoder> decoder;
  };

  [[nodiscard]] const Page& page_of(DirectoryColumn column, std::uint64_t row) {
    const Page* const last = columns_[static_cast<std::size_t>(column)].last;
    return last != nullptr && row - last->first_row < last->rows ? *last : find_page(column, row);
  }
  [[nodiscard]] const Page& find_page(DirectoryColumn column, std::uint64_t row);
  [[nodiscard]] std::size_t page_index(std::uint64_t row) const;
  void decode(DirectoryColumn column, std::size_t page);
  static void spread(const Column& column, Values& values, Page& page);

  const std::string& label_;
  const ParquetReader& reader_;
  std::vector<std::uint64_t> first_rows_;  // by page
  std::vector<std::size_t> first_pages_;   // by row group
  std::vector<ColumnPages> columns_;       // by DirectoryColumn
};

}  // namespace fathom::store

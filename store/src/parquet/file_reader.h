// ParquetReader: reads the files that ParquetWriter writes, row group by row group and page by
// page. It does not read other Parquet files: it requires the columns of a table, their encodings,
// Zstandard and the index of pages.
//
// The input may be anything: every offset, length and count is checked before it is used, and a
// page that does not match its checksum is an error. What is allocated is bounded by the size of
// the file and by kMostRows, kMostPage, kMostTexts. All functions throw base::Error, with a
// sentence about the file that follows its name.
//
// Any number of threads may read one file, each through a ChunkDecoder of its own.
//
//   ParquetReader file(input, kEntriesSchema);
//   ChunkDecoder decoder(file);
//   decoder.read(group, column, 0, file.rows(group), values);

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parquet/chunk.h"
#include "parquet/encoding.h"
#include "parquet/schema.h"

namespace fathom::store {

class ThriftReader;

// A file, or bytes in memory.
struct RandomInput {
  std::uint64_t size = 0;
  // Fills the buffer from an offset; the range is inside the file. Throws base::Error if it cannot.
  std::function<void(std::uint64_t offset, std::span<char> buffer)> read = {};
};

class ParquetReader {
 public:
  // The most rows of a row group, and bytes of an uncompressed page, that are accepted.
  static constexpr std::size_t kMostRows = std::size_t{1} << 20;
  static constexpr std::size_t kMostPage = kLongestPage;
  // The most bytes that are read from the file at a time: a page that cannot be compressed.
  static constexpr std::size_t kMostRead = kMostPage + (kMostPage >> 6);

  // Reads the footer. The file must have these columns, in this order, and the mark.
  ParquetReader(RandomInput input, const Schema& schema);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t size() const { return input_.size; }  // of the file
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::size_t rows(std::size_t group) const { return groups_[group].rows; }
  // The number of the first row of a group in the file.
  [[nodiscard]] std::uint64_t first_row(std::size_t group) const {
    return groups_[group].first_row;
  }
  // The group of a row of the file.
  [[nodiscard]] std::size_t group_of(std::uint64_t row) const;
  // The smallest and the largest value of a chunk, if the file has them.
  [[nodiscard]] const std::optional<Range>& range(std::size_t group, std::size_t column) const {
    return groups_[group].chunks[column].range;
  }
  [[nodiscard]] std::span<const Column> columns() const { return schema_.columns; }
  // The most rows of a data page.
  [[nodiscard]] std::size_t page_rows() const { return schema_.page_rows; }

 private:
  friend class ChunkDecoder;

  struct ChunkPlace {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t data = 0;  // the offset of the first data page
    std::uint64_t index_offset = 0;
    std::uint64_t index_bytes = 0;
    std::optional<Range> range;
  };
  struct Group {
    std::size_t rows = 0;
    std::uint64_t first_row = 0;
    std::vector<ChunkPlace> chunks;
  };

  [[nodiscard]] std::string bytes(std::uint64_t offset, std::uint64_t length) const;
  void bytes(std::uint64_t offset, std::uint64_t length, std::string& read) const;
  void read_footer(std::string_view footer);
  [[nodiscard]] Group read_group(ThriftReader& in) const;
  [[nodiscard]] ChunkPlace read_chunk(ThriftReader& in) const;

  RandomInput input_;
  Schema schema_;
  std::uint64_t rows_ = 0;
  std::vector<Group> groups_;
};

// Decodes parts of column chunks. Keeps the dictionary and the index of pages of the last chunk.
class ChunkDecoder {
 public:
  explicit ChunkDecoder(const ParquetReader& file);
  ChunkDecoder(const ChunkDecoder&) = delete;
  ChunkDecoder& operator=(const ChunkDecoder&) = delete;

  // Replaces `values` by those of some rows of a group, numbered from its first one. Only the pages
  // that contain them are read. Texts are valid until the next call. Throws base::Error if there
  // are more than kMostTexts bytes of them; the writer sees to it that any page_rows rows, from a
  // multiple of that, have no more.
  void read(std::size_t group, std::size_t column, std::size_t first_row, std::size_t rows,
            Values& values);

 private:
  struct Page {
    PageType type = PageType::data;
    Encoding encoding = Encoding::plain;
    std::size_t values = 0;
  };

  void read_index(const ParquetReader::ChunkPlace& chunk, std::size_t rows);
  Page open_page(std::uint64_t offset, std::uint64_t bytes);
  void read_dictionary(const ParquetReader::ChunkPlace& chunk, const Column& column);
  void decode_page(const Column& column, const Page& page, std::size_t from, std::size_t to,
                   Values& values);
  [[nodiscard]] std::size_t take_levels(std::string_view& in, std::size_t rows);
  void take_indexes(std::string_view in, std::size_t count, std::size_t distinct);
  void decode_numbers(Encoding encoding, std::string_view in, std::span<std::int64_t> numbers);
  void decode_texts(Encoding encoding, std::string_view in, std::span<std::string_view> texts);

  const ParquetReader& file_;
  std::string compressed_;
  std::string page_;  // uncompressed

  // The places of the data pages of a chunk, with offsets in the file.
  std::uint64_t pages_of_ = ~std::uint64_t{0};  // the offset of the chunk
  std::vector<PagePlace> pages_;

  // The dictionary of a chunk.
  std::uint64_t dictionary_of_ = ~std::uint64_t{0};  // the offset of the chunk
  std::string dictionary_page_;
  std::vector<std::int64_t> dictionary_numbers_;
  std::vector<std::string_view> dictionary_texts_;

  // One page.
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> indexes_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::string_view> texts_;
  // The texts of the last call that are not in the dictionary, by page.
  std::vector<std::unique_ptr<Texts>> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace fathom::store

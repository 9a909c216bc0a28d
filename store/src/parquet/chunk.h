// A column chunk: the values of one column in one row group, as compressed pages.
//
// A chunk has a dictionary page if that is its encoding, and then data pages of some rows each, so
// that a reader can decode a part of it. Pages of long texts have fewer rows. Encoding is a pure
// function: chunks of a row group may be made by several threads, each with an encoder of its own.
//
//   ChunkEncoder encoder(schema.page_rows);
//   Chunk chunk = encoder.encode(column, values, rows);

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parquet/schema.h"

struct ZSTD_CCtx_s;

namespace fathom::store {

// The position of a data page in its chunk.
struct PagePlace {
  std::size_t offset;
  std::size_t bytes;      // with its header
  std::size_t first_row;  // in the row group
};

// The smallest and the largest value, encoded as in a PLAIN page, but texts without a length.
struct Range {
  std::string least;
  std::string most;
};

struct Chunk {
  std::string bytes;
  std::size_t rows = 0;
  std::size_t missing = 0;
  std::size_t uncompressed = 0;           // bytes, with the headers of pages
  std::optional<std::size_t> first_data;  // the offset of the first data page, if not 0
  Encoding encoding = Encoding::plain;
  std::optional<Range> range;  // unless there is no value, or a bound is very long
  std::vector<PagePlace> pages;
};

class ChunkEncoder {
 public:
  explicit ChunkEncoder(std::size_t page_rows);
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  // Throws base::Error if readers would refuse the texts because of their length, or if the
  // compressor fails, which means that there is no memory.
  [[nodiscard]] Chunk encode(const Column& column, const Values& values, std::size_t rows);

 private:
  void index_numbers(std::span<const std::int64_t> numbers);
  void index_texts(std::span<const std::string_view> texts);
  void put_dictionary(const Column& column, Chunk& chunk);
  void put_data(const Column& column, const Values& values, std::size_t first_row, std::size_t rows,
                std::size_t first_value, std::size_t count, Chunk& chunk);
  void put_page(PageType type, Encoding encoding, std::size_t values, Chunk& chunk);

  const std::size_t page_rows_;
  std::unique_ptr<ZSTD_CCtx_s, std::size_t (*)(ZSTD_CCtx_s*)> compressor_;
  std::string page_;        // the page that is being made
  std::string compressed_;  // the same, compressed

  // The dictionary of the chunk: distinct values in the order of their first occurrence, and for
  // each value its index.
  std::vector<std::int64_t> distinct_numbers_;
  std::vector<std::string_view> distinct_texts_;
  std::vector<std::uint32_t> indexes_;
  std::vector<std::uint32_t> slots_;  // a hash table of indexes in the distinct values, plus 1
};

}  // namespace fathom::store

// The columns of a Parquet file, and values of a column.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::store {

// The first and the last bytes of a Parquet file.
inline constexpr std::string_view kParquetMagic = "PAR1";

// The values of Parquet's own enumerations, of which only these are used
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
enum class PhysicalType : std::int32_t { int32 = 1, int64 = 2, byte_array = 6 };
enum class Encoding : std::int32_t {
  plain = 0,
  rle = 3,
  delta = 5,       // DELTA_BINARY_PACKED
  front = 7,       // DELTA_BYTE_ARRAY
  dictionary = 8,  // RLE_DICTIONARY
};
enum class PageType : std::int32_t { data = 0, dictionary = 2 };
inline constexpr std::int32_t kZstd = 6;

// The most bytes of an uncompressed page, with the texts that it stands for. No longer one is
// written, or accepted.
inline constexpr std::size_t kLongestPage = std::size_t{1} << 28;
// The most bytes of texts, except those of a dictionary, in rows that are read together: 16 Ki
// names of 32 KiB.
inline constexpr std::size_t kMostTexts = std::size_t{1} << 29;
// The most bytes of a text in a dictionary: 32 KiB, of which each byte is written as \xHH.
inline constexpr std::size_t kLongestWord = std::size_t{4} * 32 * 1024;

enum class ColumnType : std::uint8_t { uint8, uint16, uint32, uint64, int64, string, binary };

// A column, as a row of a table of columns.
struct Column {
  std::string_view name;
  ColumnType type;
  Encoding encoding;      // dictionary, delta (8 bytes only) or front (texts only)
  bool optional = false;  // whether values may be missing
};

[[nodiscard]] constexpr bool is_text(ColumnType type) {
  return type == ColumnType::string || type == ColumnType::binary;
}
[[nodiscard]] constexpr bool is_signed(ColumnType type) {
  return type == ColumnType::int64;
}
// Of an integer, in bits.
[[nodiscard]] constexpr unsigned width_of(ColumnType type) {
  switch (type) {
    case ColumnType::uint8:
      return 8;
    case ColumnType::uint16:
      return 16;
    case ColumnType::uint32:
      return 32;
    default:
      return 64;
  }
}
[[nodiscard]] constexpr PhysicalType physical_type(ColumnType type) {
  if (is_text(type)) return PhysicalType::byte_array;
  return width_of(type) == 64 ? PhysicalType::int64 : PhysicalType::int32;
}
// How many bytes a number takes in a page.
[[nodiscard]] constexpr std::size_t plain_width(ColumnType type) {
  return physical_type(type) == PhysicalType::int64 ? 8 : 4;
}

// What a file consists of.
struct Schema {
  // The value of the key `fathom.schema` of the file, by which a reader recognises it.
  std::string_view mark;
  std::span<const Column> columns;
  std::optional<std::size_t> sorted_by = {};  // a column whose values ascend
  std::size_t page_rows = 16 * 1024;  // the most of a data page: what a reader decodes at least
};
inline constexpr std::string_view kMarkKey = "fathom.schema";

// The values of one column in some rows, without those that are missing. Unsigned numbers are
// stored as signed ones of the same width.
struct Values {
  std::vector<std::int64_t> numbers;    // of a column of numbers
  std::vector<std::string_view> texts;  // of a column of texts; the bytes belong to somebody else
  std::vector<std::uint8_t> present;    // by row, if the column is optional: 1 or 0

  void clear() {
    numbers.clear();
    texts.clear();
    present.clear();
  }
};

}  // namespace fathom::store

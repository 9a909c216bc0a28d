// Files come back as they were written, page by page; damaged ones are refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "parquet/file_reader.h"
#include "parquet/file_writer.h"
#include "snapshot/error_columns.h"

namespace fathom::store {
namespace {

constexpr std::size_t kPageRows = 16 * 1024;
constexpr std::array kColumns = {
    Column{"number", ColumnType::uint64, Encoding::delta},
    Column{"few", ColumnType::int64, Encoding::dictionary, true},
    Column{"small", ColumnType::uint32, Encoding::dictionary},
    Column{"name", ColumnType::string, Encoding::front},
    Column{"bytes", ColumnType::binary, Encoding::front, true},
    Column{"word", ColumnType::string, Encoding::dictionary},
};

constexpr Schema kSchema = {.mark = "test/1", .columns = kColumns, .page_rows = kPageRows};

// The value of a column in a row; nothing if it is missing.
struct Cell {
  bool present = true;
  std::int64_t number = 0;
  std::string text = {};

  bool operator==(const Cell&) const = default;
};

Cell cell(std::size_t column, std::uint64_t row) {
  switch (column) {
    case 0:
      return {.number = static_cast<std::int64_t>(row * 0x9e3779b97f4a7c15U)};
    case 1:
      if (row % 3 == 0) return {.present = false};
      return {.number = row % 7 == 0 ? std::numeric_limits<std::int64_t>::min()
                                     : static_cast<std::int64_t>(row % 11)};
    case 2:
      return {.number = static_cast<std::int32_t>(row % 2 == 0 ? 0xffffffffU : row % 1000)};
    case 3:
      return {.text = "name-" + std::to_string(row / 3)};
    case 4:
      if (row % 100 != 0) return {.present = false};
      return {.text = std::string("\xff\0", 2) + std::to_string(row)};
    default:
      return {.text = row % 5 == 0 ? "" : "word-" + std::to_string(row % 5)};
  }
}

Chunk chunk_of(std::size_t column, std::uint64_t first, std::size_t rows, ChunkEncoder& encoder) {
  std::vector<std::string> texts(rows);
  Values values;
  for (std::size_t i = 0; i < rows; ++i) {
    const Cell wanted = cell(column, first + i);
    if (kColumns[column].optional) values.present.push_back(wanted.present ? 1 : 0);
    if (!wanted.present) continue;
    texts[i] = wanted.text;
    is_text(kColumns[column].type) ? values.texts.push_back(texts[i])
                                   : values.numbers.push_back(wanted.number);
  }
  return encoder.encode(kColumns[column], values, rows);
}

std::string file_of(const std::vector<std::size_t>& groups) {
  std::string bytes;
  const fs::Sink sink = [&](std::string_view block) { return bytes += block, true; };
  ParquetWriter file(kSchema, sink);
  ChunkEncoder encoder(kPageRows);
  std::uint64_t first = 0;
  for (const std::size_t rows : groups) {
    std::vector<Chunk> chunks;
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      chunks.push_back(chunk_of(column, first, rows, encoder));
    }
    file.add(chunks);
    first += rows;
  }
  file.finish();
  EXPECT_EQ(file.bytes(), bytes.size());
  EXPECT_EQ(file.rows(), first);
  return bytes;
}

RandomInput input_of(std::string_view bytes) {
  return {.size = bytes.size(), .read = [bytes](std::uint64_t offset, std::span<char> buffer) {
            std::memcpy(buffer.data(), bytes.data() + offset, buffer.size());
          }};
}

ParquetReader open(std::string_view bytes) {
  return ParquetReader(input_of(bytes), kSchema);
}

std::vector<Cell> cells_of(const Values& values, const Column& column, std::size_t rows) {
  std::vector<Cell> cells(rows);
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    cells[i].present = !column.optional || values.present[i] != 0;
    if (!cells[i].present) continue;
    if (is_text(column.type)) {
      cells[i].text = values.texts[next++];
    } else {
      cells[i].number = values.numbers[next++];
    }
  }
  EXPECT_EQ(next, is_text(column.type) ? values.texts.size() : values.numbers.size());
  return cells;
}

std::vector<Cell> expected(std::size_t column, std::uint64_t first, std::size_t rows) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < rows; ++i) cells.push_back(cell(column, first + i));
  return cells;
}

// Reads everything.
void read_all(std::string_view bytes) {
  const ParquetReader file = open(bytes);
  ChunkDecoder decoder(file);
  Values values;
  for (std::size_t group = 0; group < file.groups(); ++group) {
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      decoder.read(group, column, 0, file.rows(group), values);
    }
  }
}

TEST(ParquetFile, RestoresEveryValueOfSeveralRowGroups) {
  const std::vector<std::size_t> groups = {1, 40'000, kPageRows, kPageRows + 1};
  const std::string bytes = file_of(groups);
  const ParquetReader file = open(bytes);
  ASSERT_EQ(file.groups(), groups.size());
  ChunkDecoder decoder(file);
  Values values;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    ASSERT_EQ(file.rows(group), groups[group]);
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      decoder.read(group, column, 0, groups[group], values);
      EXPECT_EQ(cells_of(values, kColumns[column], groups[group]),
                expected(column, file.first_row(group), groups[group]))
          << kColumns[column].name;
    }
  }
}

TEST(ParquetFile, ReadsAnyPartOfARowGroup) {
  const std::string bytes = file_of({3 * kPageRows + 5});
  const ParquetReader file = open(bytes);
  ChunkDecoder decoder(file);
  Values values;
  const std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, 1},
                                                                  {kPageRows - 1, 2},
                                                                  {kPageRows, kPageRows},
                                                                  {3 * kPageRows + 4, 1},
                                                                  {5, kPageRows},
                                                                  {100, 2 * kPageRows + 50},
                                                                  {7, 0}};
  for (const auto& [first, rows] : parts) {
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      decoder.read(0, column, first, rows, values);
      EXPECT_EQ(cells_of(values, kColumns[column], rows), expected(column, first, rows))
          << kColumns[column].name << ' ' << first << ' ' << rows;
    }
  }
}

TEST(ParquetFile, ReadsOnlyThePagesOfThePart) {
  const std::string bytes = file_of({8 * kPageRows});
  std::uint64_t read = 0;
  RandomInput input = input_of(bytes);
  input.read = [&](std::uint64_t offset, std::span<char> buffer) {
    std::memcpy(buffer.data(), bytes.data() + offset, buffer.size());
    read += buffer.size();
  };
  const ParquetReader file(input, kSchema);
  ChunkDecoder decoder(file);
  Values values;
  read = 0;
  decoder.read(0, 0, 0, 8 * kPageRows, values);
  const std::uint64_t whole = read;
  read = 0;
  decoder.read(0, 0, 3 * kPageRows, 10, values);
  EXPECT_LT(read, whole / 4);
}

TEST(ParquetFile, FindsTheGroupOfARow) {
  const std::string bytes = file_of({3, 1, 5});
  const ParquetReader file = open(bytes);
  std::vector<std::size_t> groups;
  for (std::uint64_t row = 0; row < file.rows(); ++row) groups.push_back(file.group_of(row));
  EXPECT_EQ(groups, (std::vector<std::size_t>{0, 0, 0, 1, 2, 2, 2, 2, 2}));
}

TEST(ParquetFile, ClaimsAnOrderOnlyIfItHasOne) {
  const auto size_with = [](std::optional<std::size_t> sorted_by) {
    Schema schema = kSchema;
    schema.sorted_by = sorted_by;
    std::string bytes;
    const fs::Sink sink = [&](std::string_view block) { return bytes += block, true; };
    ParquetWriter file(schema, sink);
    ChunkEncoder encoder(kPageRows);
    std::vector<Chunk> chunks;
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      chunks.push_back(chunk_of(column, 0, 10, encoder));
    }
    file.add(chunks);
    file.finish();
    EXPECT_EQ(ParquetReader(input_of(bytes), schema).rows(), 10U);
    return bytes.size();
  };
  EXPECT_LT(size_with(std::nullopt), size_with(0));
  // Paths are ordered by their bytes, which is not the order of what is shown of them.
  EXPECT_EQ(errors_schema().sorted_by, std::nullopt);
}

// ---- Long texts

constexpr std::array kTextColumn = {Column{"text", ColumnType::string, Encoding::front, true}};
constexpr Schema kTextSchema = {.mark = "test/1", .columns = kTextColumn, .page_rows = kPageRows};

std::string file_of_texts(const Values& values, std::size_t rows,
                          std::size_t page_rows = kPageRows) {
  std::string bytes;
  const fs::Sink sink = [&](std::string_view block) { return bytes += block, true; };
  ParquetWriter file(kTextSchema, sink);
  ChunkEncoder encoder(page_rows);
  const std::array chunks = {encoder.encode(kTextColumn[0], values, rows)};
  file.add(chunks);
  file.finish();
  return bytes;
}

// An import may have names of 32 KiB: the texts of these rows would not fit into one page.
TEST(ParquetFile, DividesRowsOfLongTextsAmongMorePages) {
  constexpr std::size_t kLongest = 32 * 1024;
  constexpr std::size_t kRows = 9000;
  static_assert(kRows * kLongest > ParquetReader::kMostPage);
  // Each text is a part of the same one.
  const std::string longest(kLongest, 'x');
  const auto length_of = [](std::size_t row) { return kLongest - row % 100; };
  Values values;
  for (std::size_t row = 0; row < kRows; ++row) {
    const bool present = row % 50 != 3;
    values.present.push_back(present ? 1 : 0);
    if (present) values.texts.push_back(std::string_view(longest).substr(0, length_of(row)));
  }
  const std::string bytes = file_of_texts(values, kRows);
  const ParquetReader file(input_of(bytes), kTextSchema);
  ChunkDecoder decoder(file);
  std::size_t total = 0;
  for (std::size_t first = 0; first < kRows; first += 450) {
    Values read;
    decoder.read(0, 0, first, 450, read);
    std::size_t next = 0;
    for (std::size_t i = 0; i < 450; ++i) {
      ASSERT_EQ(read.present[i], values.present[first + i]);
      if (read.present[i] == 0) continue;
      ASSERT_EQ(read.texts[next++].size(), length_of(first + i));
    }
    total += next;
  }
  EXPECT_EQ(total, values.texts.size());
}

TEST(ParquetFile, WithTextsThatNoReaderAcceptsIsNotWritten) {
  const std::string longest(kLongestWord + 1, 'x');
  ChunkEncoder encoder(kPageRows);
  Values values;
  values.texts.push_back(longest);
  EXPECT_THROW(static_cast<void>(encoder.encode(kColumns[5], values, 1)), base::Error);
  EXPECT_NO_THROW(static_cast<void>(encoder.encode(kColumns[3], values, 1)));
  constexpr std::size_t kRows = kMostTexts / kLongestWord;
  values.texts.assign(kRows, longest);
  EXPECT_THROW(static_cast<void>(encoder.encode(kColumns[3], values, kRows)), base::Error);
}

// Equal texts take hardly any space in the file.
TEST(ParquetFile, OfFewBytesThatStandForVeryManyTextsIsNotReadAtOnce) {
  constexpr std::size_t kRows = kMostTexts / kLongestWord + 100;
  const std::string longest(kLongestWord, 'x');
  Values values;
  values.texts.assign(kRows, longest);
  values.present.assign(kRows, 1);
  const std::string bytes = file_of_texts(values, kRows, 1000);
  EXPECT_LT(bytes.size(), 4U << 20);
  const ParquetReader file(input_of(bytes), kTextSchema);
  ChunkDecoder decoder(file);
  decoder.read(0, 0, kRows - 1, 1, values);
  EXPECT_EQ(values.texts.front(), longest);
  EXPECT_THROW(decoder.read(0, 0, 0, kRows, values), base::Error);
}

// The size of a sparse file says nothing about what is in it.
TEST(ParquetFile, WhoseFooterIsLongerThanAnyIsRefusedBeforeItIsRead) {
  std::size_t longest = 0;
  RandomInput input;
  input.size = std::uint64_t{1} << 40;
  input.read = [&](std::uint64_t offset, std::span<char> buffer) {
    longest = std::max(longest, buffer.size());
    const std::string_view bytes = offset == 0 ? "PAR1" : "\xff\xff\xff\x7fPAR1";
    std::memcpy(buffer.data(), bytes.data(), std::min(buffer.size(), bytes.size()));
  };
  EXPECT_THROW(ParquetReader(input, kSchema), base::Error);
  EXPECT_LT(longest, 100U);
}

TEST(ParquetFile, KnowsTheRangeOfAColumn) {
  const std::string bytes = file_of({100});
  const ParquetReader file = open(bytes);
  ASSERT_TRUE(file.range(0, 3));
  EXPECT_EQ(file.range(0, 3)->least, "name-0");
  EXPECT_EQ(file.range(0, 3)->most, "name-9");
  // Unsigned numbers are compared as such.
  ASSERT_TRUE(file.range(0, 2));
  EXPECT_EQ(file.range(0, 2)->most, "\xff\xff\xff\xff");
}

// parquet-java refuses DELTA_BYTE_ARRAY if it cannot parse that.
TEST(ParquetFile, NamesItsWriterInTheFormThatOtherReadersParse) {
  const std::string bytes = file_of({1});
  const std::regex form(R"(fathom version \d+\.\d+\.\d+ \(build [0-9a-z]+\))");
  EXPECT_TRUE(std::regex_search(bytes, form));
}

TEST(ParquetFile, MayHaveNoRows) {
  const std::string bytes = file_of({});
  const ParquetReader file = open(bytes);
  EXPECT_EQ(file.rows(), 0U);
  EXPECT_EQ(file.groups(), 0U);
}

TEST(ParquetFile, IsRefusedWhenItIsCutOff) {
  const std::string bytes = file_of({100, 3});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(read_all(std::string_view(bytes).substr(0, length)), base::Error) << length;
  }
}

// A changed byte is refused or, in a field that this reader does not use, has no effect.
TEST(ParquetFile, NeverGivesOtherValuesWhenAByteChanges) {
  const std::string bytes = file_of({50});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    try {
      const ParquetReader file = open(changed);
      ChunkDecoder decoder(file);
      Values values;
      for (std::size_t column = 0; column < kColumns.size(); ++column) {
        decoder.read(0, column, 0, 50, values);
        EXPECT_EQ(cells_of(values, kColumns[column], 50), expected(column, 0, 50)) << at;
      }
    } catch (const base::Error&) {
    }
  }
}

TEST(ParquetFile, IsRefusedWithoutTheMark) {
  const std::string bytes = file_of({3});
  Schema other = kSchema;
  other.mark = "test/2";
  EXPECT_THROW(ParquetReader(input_of(bytes), other), base::Error);
}

TEST(ParquetFile, IsRefusedWithOtherColumns) {
  const std::string bytes = file_of({3});
  Schema other = kSchema;
  std::array columns = kColumns;
  other.columns = columns;
  columns[1].optional = false;
  EXPECT_THROW(ParquetReader(input_of(bytes), other), base::Error);
  columns = kColumns;
  columns[0].name = "nummer";
  EXPECT_THROW(ParquetReader(input_of(bytes), other), base::Error);
  other.columns = std::span(kColumns).first(2);
  EXPECT_THROW(ParquetReader(input_of(bytes), other), base::Error);
}

}  // namespace
}  // namespace fathom::store

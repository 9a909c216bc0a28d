// CSV: the exact text of small tables.

#include "fathom/fs/csv.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {
namespace {

std::string csv_of(const Table& table, CsvTexts texts = CsvTexts::exact) {
  std::string text;
  const auto sink = [&text](std::string_view block) {
    text += block;
    return true;
  };
  write_csv(table, sink, texts);
  return text;
}

// The text of a table with one cell, without its header and line end.
std::string field(CellType type, const Cell& cell, CsvTexts texts = CsvTexts::exact) {
  const Table table({"t", "T"}, {{"it", "It", type}}, 1,
                    [&cell](std::size_t, std::vector<Cell>& cells) { cells = {cell}; });
  const std::string text = csv_of(table, texts);
  EXPECT_TRUE(text.starts_with("it\r\n") && text.ends_with("\r\n")) << text;
  return text.substr(4, text.size() - 6);
}

TEST(Csv, HasALineOfKeysAndALineForEachRow) {
  const Table table({"t", "T"},
                    {{"path", "Path", CellType::path}, {"files", "Files", CellType::count}}, 2,
                    [](std::size_t row, std::vector<Cell>& cells) {
                      add_cells(cells, "p" + std::to_string(row), std::uint64_t{row});
                    });
  EXPECT_EQ(csv_of(table), "path,files\r\np0,0\r\np1,1\r\n");
}

TEST(Csv, WithoutRowsIsItsHeader) {
  const Table table({"t", "T"}, {{"path", "Path", CellType::path}}, 0,
                    [](std::size_t, std::vector<Cell>&) { FAIL() << "there are no rows"; });
  EXPECT_EQ(csv_of(table), "path\r\n");
}

TEST(Csv, WritesEveryTypeOfCell) {
  EXPECT_EQ(field(CellType::bytes, std::numeric_limits<std::uint64_t>::max()),
            "18446744073709551615");
  EXPECT_EQ(field(CellType::time, std::numeric_limits<std::int64_t>::min()),
            "-9223372036854775808");
  EXPECT_EQ(field(CellType::number, std::int64_t{-7}), "-7");
  EXPECT_EQ(field(CellType::share, 0.25), "0.25");
  EXPECT_EQ(field(CellType::share, 1.0), "1");
  EXPECT_EQ(field(CellType::rate, 1e300).size(), 301U);
  EXPECT_EQ(field(CellType::flag, true), "true");
  EXPECT_EQ(field(CellType::bound, false), "false");
  EXPECT_EQ(field(CellType::path, Cell()), "");
  EXPECT_EQ(field(CellType::rate, std::numeric_limits<double>::infinity()), "");
}

TEST(Csv, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(field(CellType::path, std::string("plain name")), "plain name");
  EXPECT_EQ(field(CellType::path, std::string("a,b")), "\"a,b\"");
  EXPECT_EQ(field(CellType::path, std::string("a\nb")), "\"a\nb\"");
  EXPECT_EQ(field(CellType::path, std::string("a\rb")), "\"a\rb\"");
  EXPECT_EQ(field(CellType::path, std::string("say \"a\"")), "\"say \"\"a\"\"\"");
  EXPECT_EQ(field(CellType::path, std::string("\"")), "\"\"\"\"");
}

TEST(Csv, LeavesBytesAndFormulasAsTheyAre) {
  EXPECT_EQ(field(CellType::path, std::string("a\xff\x01")), "a\xff\x01");
  EXPECT_EQ(field(CellType::path, std::string("=cmd")), "=cmd");
}

TEST(Csv, EndsSoonWhenTheSinkStops) {
  const Table endless(
      {"t", "T"}, {{"it", "It", CellType::count}}, std::numeric_limits<std::size_t>::max(),
      [](std::size_t row, std::vector<Cell>& cells) { add_cells(cells, std::uint64_t{row}); });
  int blocks = 0;
  write_csv(endless, [&blocks](std::string_view) { return ++blocks < 3; });
  EXPECT_EQ(blocks, 3);
}

TEST(Csv, CanKeepTextsFromBeingFormulas) {
  const auto safe = [](const Cell& cell) { return field(CellType::path, cell, CsvTexts::safe); };
  for (const std::string start : {"=", "+", "-", "@", "\t"}) {
    EXPECT_EQ(safe(start + "cmd()"), "'" + start + "cmd()");
    EXPECT_EQ(field(CellType::path, start + "cmd()"), start + "cmd()");
  }
  EXPECT_EQ(safe("\r=cmd()"), "\"'\r'=cmd()\"");
  EXPECT_EQ(safe("\nx"), "\"'\nx\"");
  EXPECT_EQ(safe("\uFF1Dcmd()"), "'\uFF1Dcmd()");
  // Many spreadsheets begin a cell after a semicolon, with or without quotes around the field.
  EXPECT_EQ(safe("a;=b;c\t-d"), "a;'=b;c\t'-d");
  EXPECT_EQ(safe("=a,\"b\""), "\"'=a,\"\"b\"\"\"");
  for (const std::string plain : {"", "a=b", "'=a", " =a", "/srv/=a"})
    EXPECT_EQ(safe(plain), plain);
  EXPECT_EQ(field(CellType::number, std::int64_t{-7}, CsvTexts::safe), "-7");
  EXPECT_EQ(field(CellType::share, -0.5, CsvTexts::safe), "-0.5");
}

}  // namespace
}  // namespace fathom::fs

// Tests of text tables: alignment, fitting, and the text of cells.

#include "view/text_table.h"
#include "fathom/base/moment.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "columns.h"
#include "view/cell_text.h"
#include "view/text_columns.h"
#include "written.h"

namespace fathom::cli {
namespace {

using fs::CellType;

View view(unsigned width, bool person) {
  View view;
  view.terminal.width = width;
  view.terminal.person = person;
  view.terminal.unicode = true;
  return view;
}

std::string text_of(const fs::Table& table, const View& view) {
  return written_by([&](fs::Blocks& text) { write_text_table(table, view, text); });
}

fs::Table sizes() {
  return {{"sizes", "Sizes"},
          {{"path", "Path", CellType::path},
           {"files", "Files", CellType::count, 2},
           {"bytes", "Disk usage", CellType::bytes},
           {"lower_bound", "Lower bound", CellType::bound}},
          2,
          [](std::size_t row, std::vector<fs::Cell>& cells) {
            fs::add_cells(cells, std::string(row == 0 ? "a/rather/long/path/to/a/file" : "b\n"),
                          std::uint64_t{row * 1234}, std::uint64_t{row * 2048 + 1}, row == 1);
          }};
}

TEST(TextTable, AlignsItsColumnsAndMarksLowerBounds) {
  EXPECT_EQ(text_of(sizes(), view(80, true)),
            "Sizes\n"
            "  Files  Disk usage  Path\n"
            "      0         1 B  a/rather/long/path/to/a/file\n"
            "  1,234  ≥  2.0 KiB  b\\n\n");
}

TEST(TextColumns, DropPairsTogether) {
  const std::vector<fs::Column> columns = {
      {"a", "A", CellType::count},
      {"from", "From", CellType::time, 5, nullptr, true},
      {"until", "Until", CellType::time, 5},
      {"b", "B", CellType::count, 6},
  };
  const auto kept = [&columns](unsigned line) {
    std::string keys;
    for (const TextColumn& column : fit_columns(columns, {10, 10, 10, 10}, line)) {
      keys += std::string(columns[column.index].key) + ' ';
    }
    return keys;
  };
  EXPECT_EQ(kept(48), "a from until b ");
  EXPECT_EQ(kept(47), "a from until ");
  EXPECT_EQ(kept(36), "a from until ");
  EXPECT_EQ(kept(35), "a ");
}

TEST(TextColumns, DropNoneIfAPathHasEnoughOfTheLine) {
  for (const unsigned part : {2U, 5U}) {
    const std::vector<fs::Column> columns = {
        {"id", "Id", CellType::text},
        {"size", "Size", CellType::bytes, 1},
        {"path", "Path", CellType::path},
    };
    const auto fitted = fit_columns(columns, {10, 10, 50}, 40, part);
    EXPECT_EQ(fitted.size(), part == 2 ? 2U : 3U);
    EXPECT_EQ(fitted.back().width, part == 2 ? 26U : 14U);
  }
}

TEST(TextTable, ShowsSomeCellsInOtherWords) {
  const auto shown = [](const std::vector<fs::Cell>& row) {
    return fs::Cell("user " + std::to_string(std::get<std::int64_t>(row[1])));
  };
  const fs::Table table({"t", "T"},
                        {{"user", "User", CellType::path, 0, shown},
                         {"uid", "Uid", CellType::number, 0,
                          [](const std::vector<fs::Cell>& row) { return row[0]; }}},
                        1, [](std::size_t, std::vector<fs::Cell>& cells) {
                          fs::add_cells(cells, std::string("name"), std::int64_t{7});
                        });
  EXPECT_EQ(text_of(table, view(80, true)), "T\n   Uid  User\n  name  user 7\n");
}

TEST(TextTable, DropsColumnsAndCutsPathsOnATerminal) {
  EXPECT_EQ(text_of(sizes(), view(40, true)),
            "Sizes\n"
            "  Disk usage  Path\n"
            "         1 B  a/rather/long…th/to/a/file\n"
            "  ≥  2.0 KiB  b\\n\n");
  EXPECT_EQ(text_of(sizes(), view(30, true)),
            "Sizes\n"
            "  Disk usage  Path\n"
            "         1 B  a/rather…/a/file\n"
            "  ≥  2.0 KiB  b\\n\n");
}

TEST(TextTable, ReportsHowManyColumnsItDropped) {
  const auto left_out = [](const View& view) {
    std::size_t columns = 0;
    written_by([&](fs::Blocks& text) { columns = write_text_table(sizes(), view, text); });
    return columns;
  };
  EXPECT_EQ(left_out(view(40, true)), 1U);
  EXPECT_EQ(left_out(view(80, true)), 0U);
  EXPECT_EQ(left_out(view(40, false)), 0U);
}

TEST(TextTable, IsCompleteOffATerminal) {
  EXPECT_EQ(text_of(sizes(), view(20, false)), text_of(sizes(), view(200, true)));
}

TEST(TextTable, FitsEveryWidth) {
  const fs::Table table({"t", "T"},
                        {{"path", "Path", CellType::path},
                         {"target", "Target", CellType::path},
                         {"text", "Text", CellType::text, 1},
                         {"count", "A long heading of a number", CellType::count, 2},
                         {"time", "Time", CellType::time}},
                        1, [](std::size_t, std::vector<fs::Cell>& cells) {
                          fs::add_cells(cells, "大大大大大\n\xff" + std::string(300, 'x'),
                                        std::string(90, 'y') + "e\u0301", std::string(70, 'z'),
                                        std::uint64_t{1} << 60, std::int64_t{0});
                        });
  for (unsigned width = 20; width <= 600; ++width) {
    const std::string text = text_of(table, view(width, true));
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      EXPECT_LE(columns_of(line), width) << line;
      begin = end + 1;
    }
  }
}

TEST(TextTable, OfARecordHasALineForEachColumn) {
  const fs::Table table({"r", "Record", fs::TableShape::record},
                        {{"files", "Files", CellType::count},
                         {"bytes", "Disk usage", CellType::bytes},
                         {"path", "Deepest", CellType::path},
                         {"rate", "Rate", CellType::rate},
                         {"lower_bound", "", CellType::bound}},
                        1, [](std::size_t, std::vector<fs::Cell>& cells) {
                          fs::add_cells(cells, std::uint64_t{7}, std::uint64_t{2048},
                                        std::string("a/b"));
                          cells.emplace_back();
                          cells.emplace_back(true);
                        });
  EXPECT_EQ(text_of(table, view(80, true)),
            "Record\n"
            "  Files              7\n"
            "  Disk usage  ≥2.0 KiB  2,048 bytes\n"
            "  Deepest      a/b\n"
            "  Rate               -\n");
}

TEST(TextTable, OfARecordPutsLongValuesBelowTheirNames) {
  const fs::Table table({"r", "Record", fs::TableShape::record},
                        {{"path", "Directory with most entries", CellType::path},
                         {"files", "Files", CellType::count}},
                        1, [](std::size_t, std::vector<fs::Cell>& cells) {
                          fs::add_cells(cells, std::string("a/path/of/twenty-six/bytes"),
                                        std::uint64_t{7});
                        });
  EXPECT_EQ(text_of(table, view(40, true)),
            "Record\n"
            "  Directory with most entries\n"
            "    a/path/of/twenty-six/bytes\n"
            "  Files                        7\n");
}

TEST(TextTable, NeverCutsANumber) {
  const fs::Table table({"r", "Record", fs::TableShape::record},
                        {{"files", "Directory with most entries", CellType::count}}, 1,
                        [](std::size_t, std::vector<fs::Cell>& cells) {
                          fs::add_cells(cells, std::uint64_t{1} << 60);
                        });
  EXPECT_EQ(text_of(table, view(40, true)),
            "Record\n"
            "  Directory with most entries\n"
            "    1,152,921,504,606,846,976\n");
}

TEST(TextTable, ReportsAnEmptyTable) {
  const fs::Table table({"t", "Title"}, {{"path", "Path", CellType::path}}, 0,
                        [](std::size_t, std::vector<fs::Cell>&) {});
  EXPECT_EQ(text_of(table, view(80, true)), "Title\n  none\n");
}

TEST(CellText, IsReadable) {
  const auto text = [](const fs::Cell& cell, CellType type) {
    return cell_text(cell, type, base::Units::iec, true);
  };
  EXPECT_EQ(text(std::uint64_t{1234567}, CellType::count), "1,234,567");
  EXPECT_EQ(text(std::uint64_t{1536}, CellType::bytes), "1.5 KiB");
  EXPECT_EQ(text(std::int64_t{-13}, CellType::number), "-13");
  EXPECT_EQ(text(0.1234, CellType::share), "12.3%");
  EXPECT_EQ(text(0.85, CellType::seconds), "850 ms");
  EXPECT_EQ(text(1234.5, CellType::rate), "1,234/s");
  EXPECT_EQ(text(true, CellType::flag), "yes");
  EXPECT_EQ(text(std::string("a\nb"), CellType::text), "a\\nb");
  EXPECT_EQ(text(fs::Cell(), CellType::path), "-");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::max(), CellType::time), "@9223372036854775807");
}

TEST(ParseAge, RefusesInvalidAges) {
  for (const char* wrong : {"", "h", "1", "0s", "-1s", "+1s", "1.5h", "1 h", "1H", "1h ", "1hh",
                            "99999999999999999999s", "366001d", "99999w"}) {
    EXPECT_FALSE(base::parse_age(wrong)) << wrong;
  }
  EXPECT_EQ(base::parse_age("366000d"), std::chrono::hours(24 * 366'000));
}

}  // namespace
}  // namespace fathom::cli

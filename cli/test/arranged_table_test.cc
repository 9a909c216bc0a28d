// Tests of arranged(): the order and the limit of the rows of a table.

#include "view/arranged_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {
namespace {

using fs::CellType;

// A table of paths, disk sizes, apparent sizes, counts and times in no particular order.
fs::Table table(fs::RowOrder order = fs::RowOrder::free,
                fs::TableShape shape = fs::TableShape::list) {
  struct Row {
    const char* path;
    std::uint64_t disk, apparent, entries;
    std::int64_t time;
  };
  static constexpr Row kRows[] = {
      {"b", 8, 1, 3, -5}, {"d", 2, 9, 3, 7}, {"a", 8, 4, 1, 7}, {"c", 5, 5, 2, 0}};
  return {{"things", "Things", shape, order},
          {{"disk_bytes", "Disk", CellType::bytes},
           {"apparent_bytes", "Apparent", CellType::bytes},
           {"files", "Files", CellType::count},
           {"entries", "Entries", CellType::count},
           {"mtime", "Modified", CellType::time},
           {"path", "Path", CellType::path}},
          std::size(kRows),
          [](std::size_t row, std::vector<fs::Cell>& cells) {
            const Row& of = kRows[row];
            fs::add_cells(cells, of.disk, of.apparent, std::uint64_t{0}, of.entries, of.time,
                          std::string(of.path));
          }};
}

std::string paths(const fs::Table& of) {
  std::string text;
  std::vector<fs::Cell> cells;
  for (std::size_t row = 0; row < of.rows(); ++row) {
    of.read(row, cells);
    text += std::get<std::string>(cells.back());
  }
  return text;
}

TEST(ArrangedTable, HasTheRequestedOrder) {
  EXPECT_EQ(paths(arranged(table(), {Order::size, fs::Measure::disk})), "bacd");
  EXPECT_EQ(paths(arranged(table(), {Order::size, fs::Measure::apparent})), "dcab");
  EXPECT_EQ(paths(arranged(table(), {Order::count})), "bdca");
  EXPECT_EQ(paths(arranged(table(), {Order::name})), "abcd");
  EXPECT_EQ(paths(arranged(table(), {Order::mtime})), "dacb");
}

TEST(ArrangedTable, IsUnchangedByDefault) {
  EXPECT_EQ(paths(arranged(table(), {})), "bdac");
}

TEST(ArrangedTable, CanBeLimited) {
  EXPECT_EQ(paths(arranged(table(), {std::nullopt, fs::Measure::disk, 3})), "bda");
  EXPECT_EQ(paths(arranged(table(), {.order = Order::name, .rows = 2})), "ab");
  EXPECT_EQ(paths(arranged(table(), {std::nullopt, fs::Measure::disk, 100})), "bdac");
}

TEST(ArrangedTable, KeepsTheStepsOfAScale) {
  EXPECT_EQ(paths(arranged(table(fs::RowOrder::scale), {Order::name})), "bdac");
}

TEST(ArrangedTable, ShowsTheLargestStepsOfAScale) {
  const auto shown = [](std::optional<Order> order, fs::Measure measure, std::size_t rows) {
    return paths(arranged(table(fs::RowOrder::scale), {order, measure, rows}));
  };
  EXPECT_EQ(shown({}, fs::Measure::disk, 2), "ba");
  EXPECT_EQ(shown({}, fs::Measure::apparent, 2), "dc");
  EXPECT_EQ(shown(Order::name, fs::Measure::disk, 3),
            "bac");  // the largest, in the order of the scale
  EXPECT_EQ(shown(Order::count, fs::Measure::disk, 2), "bd");
  EXPECT_EQ(shown({}, fs::Measure::disk, 9), "bdac");
}

TEST(ArrangedTable, CanKeepHiddenRowsAfterTheShownOnes) {
  Arrangement two{std::nullopt, fs::Measure::disk, 2, /*keeps_rest=*/true};
  EXPECT_EQ(paths(arranged(table(fs::RowOrder::scale), two)), "badc");
  two.order = Order::name;
  EXPECT_EQ(paths(arranged(table(), two)), "abcd");
}

TEST(ArrangedTable, LeavesASumUnchanged) {
  const fs::Table sum = arranged(table(fs::RowOrder::sum), {Order::name, {}, 1});
  EXPECT_EQ(sum.rows(), 4U);
  EXPECT_EQ(paths(sum), "bdac");
}

TEST(ArrangedTable, LeavesARecordUnchanged) {
  const fs::Table record =
      arranged(table(fs::RowOrder::free, fs::TableShape::record), {Order::name, {}, 1});
  EXPECT_EQ(record.rows(), 4U);
  EXPECT_EQ(paths(record), "bdac");
}

}  // namespace
}  // namespace fathom::cli

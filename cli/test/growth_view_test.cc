// The text of growth over snapshots, and sparklines.

#include "view/growth_view.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "columns.h"
#include "term/bar.h"
#include "term/number.h"
#include "term/sparkline.h"
#include "written.h"

namespace fathom::cli {
namespace {

using Values = std::vector<std::optional<std::uint64_t>>;

TEST(Sparkline, HasEightHeights) {
  EXPECT_EQ(sparkline(Values{0, 1, 2, 3, 4, 5, 6, 7}, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(Values{0, 1, 2, 3, 4, 5, 6, 7}, false), "_.:-=+*#");
  EXPECT_EQ(sparkline(Values{5, 5, 5}, true), "▁▁▁");
  EXPECT_EQ(sparkline(Values{std::nullopt, 1, std::nullopt, 2}, true), " ▁ █");
  EXPECT_EQ(sparkline(Values{0, ~std::uint64_t{0}}, true), "▁█");
  EXPECT_EQ(sparkline(Values{}, true), "");
}

TEST(SignedBar, GoesLeftAndRightOfItsAxis) {
  EXPECT_EQ(signed_bar(10, 10, 3, true), "   │███");
  EXPECT_EQ(signed_bar(-10, 10, 3, true), "███│");
  EXPECT_EQ(signed_bar(-5, 10, 3, true), " ▐█│");
  EXPECT_EQ(signed_bar(-1, 1000, 3, true), "  ▐│");
  EXPECT_EQ(signed_bar(0, 10, 3, true), "   │");
  EXPECT_EQ(signed_bar(0, 0, 3, true), "   │");
  EXPECT_EQ(signed_bar(-7, 10, 3, false), " ##|");
  EXPECT_EQ(signed_bar(7, 10, 3, false), "   |##");
}

TEST(SignedBytes, HaveASignUnlessTheyAreZero) {
  EXPECT_EQ(signed_bytes(1536, base::Units::iec), "+1.5 KiB");
  EXPECT_EQ(signed_bytes(-1536, base::Units::iec), "-1.5 KiB");
  EXPECT_EQ(signed_bytes(0, base::Units::iec), "0 B");
  EXPECT_EQ(signed_bytes(INT64_MIN, base::Units::iec), "-8.0 EiB");
}

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::int64_t kDayNs = 86'400'000'000'000;

// Six days of a directory that grows, with one that appears and one that disappears.
store::Growth growing() {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  store::Growth growth;
  for (int day = 0; day < 6; ++day) {
    const std::int64_t time = 1'763'625'600 * std::int64_t{1'000'000'000} + day * kDayNs;
    growth.snapshots.push_back(
        {.id = std::to_string(day), .tag = "", .started_ns = time, .ended_ns = time});
  }
  const auto add = [&growth](const std::string& name, std::size_t parent, unsigned depth,
                             const Values& gibibytes) {
    store::GrowthDirectory& directory = growth.directories.emplace_back();
    directory.name = name;
    directory.parent = parent;
    directory.depth = depth;
    for (const auto& size : gibibytes) {
      directory.sizes.push_back({.bytes = size.value_or(0) * kGiB,
                                 .entries = size.value_or(0) * 1000,
                                 .exists = size.has_value()});
    }
  };
  add("/srv", store::GrowthDirectory::kNoParent, 0, {10, 12, 14, 16, 18, 20});
  add("data", 0, 1, {5, 7, 9, 11, 13, 15});
  add("new\xff", 1, 2, {std::nullopt, std::nullopt, 1, 1, 1, 2});
  add("old", 0, 1, {3, 3, 3, 1, std::nullopt, std::nullopt});
  growth.directories[0].sizes[5].lower_bound = true;
  growth.forecast.mount_point = "/srv";
  growth.forecast.size = 100 * kGiB;
  growth.forecast.available = 80 * kGiB;
  growth.forecast.points = 6;
  growth.forecast.why_none = "the filesystem becomes emptier";
  return growth;
}

std::string text_of(const store::Growth& growth, const View& view) {
  return written_by([&](fs::Blocks& blocks) { write_growth_view(growth, view, blocks); });
}

TEST(GrowthView, ShowsSizesAndSparklines) {
  EXPECT_EQ(text_of(growing(), view_of_width(80)),
            R"(From 2025-11-20 08:00 to 2025-11-25 08:00, 6 snapshots

  First     Last    Change          Directory
 10 GiB  ≥20 GiB   +10 GiB  ▁▂▄▅▇█  /srv
5.0 GiB   15 GiB   +10 GiB  ▁▂▄▅▇█  ├─ data
      -  2.0 GiB  +2.0 GiB    ▁▁▁█  │  └─ new\xff
3.0 GiB        -  -3.0 GiB  ███▁    └─ old

No forecast for /srv: the filesystem becomes emptier.
)");
}

TEST(GrowthView, ShowsWhenTheFilesystemIsFull) {
  store::Growth growth = growing();
  growth.forecast.why_none.clear();
  growth.forecast.bytes_per_day = {.expected = 2e9, .least = 1.5e9, .most = 2.5e9};
  growth.forecast.full = {.expected = 1'767'513'600, .least = 1'766'217'600, .most = 1'769'673'600};
  View view = view_of_width(80);
  view.units = base::Units::si;
  const std::string text = text_of(growth, view);
  EXPECT_NE(
      text.find(
          "\n/srv is full on 2026-01-04, between 2025-12-20 and 2026-01-29 (95 %), if it goes\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("+2.0 GB a day (+1.5 GB to +2.5 GB)"), std::string::npos) << text;
}

TEST(GrowthView, ShowsTheMinuteIfTheFilesystemIsFullWithinTwoDays) {
  store::Growth growth = growing();
  constexpr std::int64_t kLast = 1'764'057'600;  // 2025-11-25 08:00
  growth.forecast.bytes_per_day = {.expected = 2e9, .least = 1.5e9, .most = 2.5e9};
  growth.forecast.full = {.expected = kLast + 5400, .least = kLast + 3600, .most = kLast + 86'400};
  const auto holds = [&growth](std::string_view sentence) {
    return text_of(growth, view_of_width(200)).find(sentence) != std::string::npos;
  };
  EXPECT_TRUE(
      holds("/srv is full on 2025-11-25 09:30, between 2025-11-25 09:00 and "
            "2025-11-26 08:00 (95 %), if"));
  growth.forecast.full->expected = growth.forecast.full->most = kLast + 2 * 86'400;
  EXPECT_TRUE(holds("/srv is full on 2025-11-27, between 2025-11-25 and 2025-11-27 (95 %), if"));
}

TEST(GrowthView, FitsEveryWidth) {
  for (unsigned width = kMinimumWidth; width <= 200; ++width) {
    std::istringstream lines(text_of(growing(), view_of_width(width)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), width) << line;
  }
}

TEST(GrowthView, FitsTheHeight) {
  store::Growth growth = growing();
  for (int i = 0; i < 100; ++i) {
    growth.directories.push_back(growth.directories[3]);
    growth.directories.back().name = "more-" + std::to_string(i);
  }
  for (unsigned height = 12; height <= 60; ++height) {
    const std::string text = text_of(growth, view_of_width(80, height));
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), height);
    EXPECT_NE(text.find("more\n"), std::string::npos);
  }
}

// Seven hundred days in as many columns as there are.
TEST(GrowthView, DrawsTimeNotSnapshots) {
  store::Growth growth = growing();
  growth.snapshots[5].ended_ns += 695 * kDayNs;
  const std::string text = text_of(growth, view_of_width(80));
  EXPECT_NE(text.find("▁▇▇▇▇█  /srv"), std::string::npos) << text;
}

TEST(GrowthView, IsAsciiWithoutUnicode) {
  View view = view_of_width(60);
  view.terminal.unicode = false;
  const std::string text = text_of(growing(), view);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << text;
  EXPECT_NE(text.find("|- data"), std::string::npos);
}

TEST(GrowthView, HasOneFactPerLineIfPlain) {
  View view = view_of_width(80);
  view.plain = true;
  const std::string text = text_of(growing(), view);
  EXPECT_NE(text.find("\nDirectory: /srv/data/new\\xff\nFirst: absent\nLast: 2.0 GiB\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nLast: at least 20 GiB\n"), std::string::npos);
  EXPECT_NE(text.find("\nChange of entries: -3,000\n"), std::string::npos);
}

TEST(GrowthView, LeavesOutLongPathsIfPlain) {
  View view = view_of_width(80);
  view.plain = true;
  store::Growth growth = growing();
  growth.directories[3].name = std::string(4095, 'x');
  const std::string text = text_of(growth, view);
  EXPECT_EQ(text.find("xxx"), std::string::npos);
  EXPECT_NE(text.find("\n1 directory is left out: paths of more than 4,095 bytes\n"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::cli

// Tests of bars, percentages, numbers, colours, progress lines and line breaking.

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>

#include "columns.h"
#include "term/bar.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/progress_line.h"
#include "term/wrapped.h"

namespace fathom::cli {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(Bar, HasALengthProportionalToTheShare) {
  EXPECT_EQ(bar(1, 1, 4, true), "████");
  EXPECT_EQ(bar(1, 2, 4, true), "██");
  EXPECT_EQ(bar(1, 2, 5, true), "██▌");
  EXPECT_EQ(bar(1, 2, 4, false), "##");
  EXPECT_EQ(bar(kMost, kMost, 4, true), "████");
}

TEST(Bar, IsEmptyOnlyForAShareOfZero) {
  EXPECT_EQ(bar(1, kMost, 10, true), "▏");
  EXPECT_EQ(bar(1, kMost, 10, false), "#");
  EXPECT_EQ(bar(0, 10, 10, true), "");
  EXPECT_EQ(bar(0, 0, 10, true), "");
}

TEST(Bar, NeverExceedsItsColumns) {
  for (std::uint64_t part = 0; part <= 1000; ++part) {
    EXPECT_LE(columns_of(bar(part, 1000, 7, true)), 7U);
    EXPECT_LE(columns_of(bar(part, 1000, 7, false)), 7U);
  }
}

TEST(Percent, IsRoundedToTheNearest) {
  EXPECT_EQ(percent(1, 1), "100%");
  EXPECT_EQ(percent(2, 3), "67%");
  EXPECT_EQ(percent(1, 1000), "0%");
  EXPECT_EQ(percent(0, 0), "0%");
}

TEST(Number, IsGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(kMost), "18,446,744,073,709,551,615");
}

TEST(Number, AgreesWithItsNoun) {
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(0, "entry", "entries"), "0 entries");
  EXPECT_EQ(counted(2000, "entry", "entries"), "2,000 entries");
}

TEST(Paint, ColoursOnlyIfEnabled) {
  EXPECT_EQ(Paint(false)(Tone::strong, "x"), "x");
  EXPECT_EQ(Paint(true)(Tone::strong, "x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(Paint(true)(Tone::strong, ""), "");
  EXPECT_EQ(Paint(true)(Tone::plain, "x"), "x");
}

TEST(ProgressText, ShowsTotalsAndTheCurrentDirectory) {
  const ProgressFigures figures{12345, 3 << 20, 2, "/srv/music"};
  EXPECT_EQ(progress_text(figures, base::Units::iec, 80, true),
            "12,345 entries  3.0 MiB  6,172/s  /srv/music");
}

TEST(ProgressText, ClampsARateThatDoesNotFitIn64Bits) {
  const std::string text = progress_text({kMost, 0, 0.001, {}}, base::Units::iec, 80, true);
  EXPECT_NE(text.find("  18,000,000,000,000,000,000/s"), std::string::npos) << text;
}

TEST(ProgressText, NeverExceedsTheWidth) {
  const std::string hostile = std::string(300, 'x') + "\n\x1b[2J大大大" + std::string(300, 'y');
  const ProgressFigures figures{kMost, kMost, 0.001, hostile};
  for (unsigned columns = 39; columns <= 220; ++columns) {
    const std::string text = progress_text(figures, base::Units::iec, columns, true);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_LE(columns_of(text), columns);
  }
}

TEST(ProgressLine, AppearsOncePerSecondOffATerminalWithoutDrift) {
  const auto told = [] {
    ProgressLine line(When::always, base::Units::iec);
    std::uint64_t call = 0;
    for (const double seconds : {0.0, 0.95, 1.09, 1.99, 2.01, 2.02, 4.5, 5.0}) {
      line.show({call++, 0, seconds, {}});
    }
    ::_exit(0);
  };
  const std::string rest = " entries[^\n]*\n";
  EXPECT_EXIT(told(), ::testing::ExitedWithCode(0),
              "^0" + rest + "2" + rest + "4" + rest + "6" + rest + "7" + rest + "$");
}

TEST(Wrapped, BreaksOnlyBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 0, 80), "one two three");
  EXPECT_EQ(wrapped("one two three", 0, 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 2, 8), "one\n  two\n  three");
  EXPECT_EQ(wrapped("a 1,234,567,890 b", 4, 10), "a\n    1,234,567,890\n    b");
  EXPECT_EQ(wrapped("one two", 90, 80), "one\n" + std::string(90, ' ') + "two");
  EXPECT_EQ(wrapped(std::string(100, 'x') + " y", 2, Wrapped::kEndless),
            std::string(100, 'x') + " y");
}

}  // namespace
}  // namespace fathom::cli

#include "term/label.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom::cli {
namespace {

constexpr std::string_view kDots = "…";

TEST(Label, LeavesVisibleTextAlone) {
  EXPECT_EQ(escaped("plain name-1.txt"), "plain name-1.txt");
  EXPECT_EQ(escaped("größe 大 😀 e\u0301"), "größe 大 😀 e\u0301");
  EXPECT_EQ(escaped(""), "");
}

TEST(Label, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(escaped("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(escaped("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(escaped("\x7f\x01"), "\\x7f\\x01");
  EXPECT_EQ(escaped("\u009b2J"), "\\u009b2J");  // CSI as one C1 control
}

TEST(Label, EscapesWhatTurnsOrHidesText) {
  EXPECT_EQ(escaped("a\u202eb"), "a\\u202eb");
  EXPECT_EQ(escaped("a\u2066b\u200fc"), "a\\u2066b\\u200fc");
  EXPECT_EQ(escaped("a\u2028b"), "a\\u2028b");
  EXPECT_EQ(escaped("a\U000e0041b"), "a\\U000e0041b");
}

TEST(Label, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(escaped("a\xff"), "a\\xff");
  EXPECT_EQ(escaped("\xc3"), "\\xc3");                    // cut short
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(Label, TellsABackslashFromAnEscape) {
  EXPECT_EQ(escaped("a\\nb"), "a\\\\nb");
  EXPECT_NE(escaped("a\\nb"), escaped("a\nb"));
}

TEST(Label, MeasuresColumnsNotBytes) {
  EXPECT_EQ(Label("abc").width(), 3U);
  EXPECT_EQ(Label("größe").width(), 5U);
  EXPECT_EQ(Label("大").width(), 2U);
  EXPECT_EQ(Label("e\u0301").width(), 1U);
  EXPECT_EQ(Label("\n").width(), 2U);
  EXPECT_EQ(Label("\xff").width(), 4U);
}

TEST(Label, IsCutInTheMiddle) {
  EXPECT_EQ(Label("abcdefghij").fitted(10, kDots), "abcdefghij");
  EXPECT_EQ(Label("abcdefghij").fitted(7, kDots), "abc…hij");
  EXPECT_EQ(Label("abcdefghij").fitted(6, kDots), "abc…ij");
  EXPECT_EQ(Label("abcdefghij").fitted(7, "..."), "ab...ij");
  EXPECT_EQ(Label("abcdefghij").fitted(1, kDots), "…");
  EXPECT_EQ(Label("abcdefghij").fitted(2, "..."), "..");
  EXPECT_EQ(Label("abcdefghij").fitted(0, kDots), "");
}

TEST(Label, IsNeverCutInsideACharacter) {
  EXPECT_EQ(Label("e\u0301e\u0301e\u0301e\u0301").fitted(3, kDots), "e\u0301…e\u0301");
  EXPECT_EQ(Label("大大大大").fitted(6, kDots), "大…大");  // a column stays free
  EXPECT_EQ(Label("\n\n\n\n").fitted(5, kDots), "\\n…\\n");
  EXPECT_EQ(Label("\xff\xff\xff").fitted(9, kDots), "\\xff…\\xff");
}

TEST(Label, FitsAtEveryWidth) {
  const std::string name =
      "wide大\n\xff"
      "e\u0301 tail-of-the-name 大大\x1b.txt";
  for (unsigned columns = 0; columns <= Label(name).width() + 1; ++columns) {
    // What is left holds no byte that would be escaped once more, but for the escapes themselves.
    std::string fitted = Label(name).fitted(columns, kDots);
    std::erase(fitted, '\\');
    EXPECT_LE(Label(fitted).width(), columns) << columns;
  }
}

}  // namespace
}  // namespace fathom::cli

// Tests of Label: escaping, column counts, and cutting.

#include "term/label.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "columns.h"

namespace fathom::cli {
namespace {

constexpr std::string_view kDots = "…";

std::string text_of(std::string_view name) {
  return escaped(name, true);
}

Label label(std::string_view name) {
  return {name, true};
}

TEST(Label, LeavesVisibleTextUnchanged) {
  EXPECT_EQ(text_of("plain name-1.txt"), "plain name-1.txt");
  EXPECT_EQ(text_of("größe 大 😀 e\u0301"), "größe 大 😀 e\u0301");
  EXPECT_EQ(text_of(""), "");
}

TEST(Label, EscapesTerminalControlSequences) {
  EXPECT_EQ(text_of("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(text_of("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(text_of("\x7f\x01"), "\\x7f\\x01");
  EXPECT_EQ(text_of("\u009b2J"), "\\u009b2J");  // CSI as one C1 control
}

TEST(Label, EscapesCharactersThatReverseOrHideText) {
  EXPECT_EQ(text_of("a\u202eb"), "a\\u202eb");
  EXPECT_EQ(text_of("a\u2066b\u200fc"), "a\\u2066b\\u200fc");
  EXPECT_EQ(text_of("a\u2028b"), "a\\u2028b");
  EXPECT_EQ(text_of("a\U000e0041b"), "a\\U000e0041b");
}

// A terminal draws them on the character before them, which may be that of another file.
TEST(Label, EscapesCombiningCharactersWithNoneToCombineWith) {
  EXPECT_EQ(text_of("\u0301a\u0301"), "\\u0301a\u0301");
  EXPECT_EQ(text_of("\u0301\u0302"), "\\u0301\\u0302");
  EXPECT_EQ(text_of("a/\u0301b"), "a/\\u0301b");  // a name of its own
  EXPECT_EQ(text_of("\n\u0301"), "\\n\\u0301");   // the escape ends before it
  EXPECT_EQ(text_of("\u200db"), "\\u200db");      // a joiner
  EXPECT_EQ(text_of("\u1112\u1161\u11ab"), "\u1112\u1161\u11ab");
  EXPECT_EQ(label("\u0301").width(), 6U);
}

TEST(Label, EscapesInvalidUtf8) {
  EXPECT_EQ(text_of("a\xff"), "a\\xff");
  EXPECT_EQ(text_of("\xc3"), "\\xc3");                    // truncated
  EXPECT_EQ(text_of("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(text_of("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(Label, DistinguishesABackslashFromAnEscape) {
  EXPECT_EQ(text_of("a\\nb"), "a\\\\nb");
  EXPECT_NE(text_of("a\\nb"), text_of("a\nb"));
}

TEST(Label, EscapesLeadingAndTrailingBlanks) {
  EXPECT_EQ(text_of(" a b "), "\\x20a b\\x20");
  EXPECT_EQ(text_of("  "), "\\x20\\x20");
  EXPECT_EQ(text_of("   "), "\\x20 \\x20");
  EXPECT_EQ(text_of("a / b"), "a\\x20/\\x20b");  // per name of a path
  EXPECT_EQ(text_of("\u00a0a\u3000"), "\\u00a0a\\u3000");
  EXPECT_EQ(label(" ").width(), 4U);
}

TEST(Label, EscapesNonAsciiInAnAsciiLocale) {
  EXPECT_EQ(escaped("größe", false), "gr\\u00f6\\u00dfe");
  EXPECT_EQ(escaped("😀", false), "\\U0001f600");
  EXPECT_EQ(escaped("e\u0301\xff plain", false), "e\\u0301\\xff plain");
  EXPECT_EQ(Label("ö", false).width(), 6U);
}

TEST(Label, MeasuresColumnsNotBytes) {
  EXPECT_EQ(label("abc").width(), 3U);
  EXPECT_EQ(label("größe").width(), 5U);
  EXPECT_EQ(label("大").width(), 2U);
  EXPECT_EQ(label("e\u0301").width(), 1U);
  EXPECT_EQ(label("\n").width(), 2U);
  EXPECT_EQ(label("\xff").width(), 4U);
}

TEST(Label, IsCutInTheMiddle) {
  EXPECT_EQ(label("abcdefghij").fitted(10, kDots), "abcdefghij");
  EXPECT_EQ(label("abcdefghij").fitted(7, kDots), "abc…hij");
  EXPECT_EQ(label("abcdefghij").fitted(6, kDots), "abc…ij");
  EXPECT_EQ(label("abcdefghij").fitted(7, "..."), "ab...ij");
  EXPECT_EQ(label("abcdefghij").fitted(1, kDots), "…");
  EXPECT_EQ(label("abcdefghij").fitted(2, "..."), "..");
  EXPECT_EQ(label("abcdefghij").fitted(0, kDots), "");
}

TEST(Label, IsNeverCutInsideACharacter) {
  EXPECT_EQ(label("e\u0301e\u0301e\u0301e\u0301").fitted(3, kDots), "e\u0301…e\u0301");
  EXPECT_EQ(label("大大大大").fitted(6, kDots), "大…大");  // one column stays free
  EXPECT_EQ(label("\n\n\n\n").fitted(5, kDots), "\\n…\\n");
  EXPECT_EQ(label("\xff\xff\xff").fitted(9, kDots), "\\xff…\\xff");
}

TEST(Label, FitsAtEveryWidth) {
  const std::string name =
      "wide大\n\xff"
      "e\u0301 tail-of-the-name 大大\x1b.txt";
  for (unsigned columns = 0; columns <= label(name).width() + 1; ++columns) {
    EXPECT_LE(columns_of(label(name).fitted(columns, kDots)), columns) << columns;
  }
}

TEST(Safe, EscapesWhatATerminalWouldInterpret) {
  EXPECT_EQ(safe("a\nb\x1b[31m\x7f\u009b\u202e\xff"), "a\\nb\\x1b[31m\\x7f\\u009b\\u202e\\xff");
  EXPECT_EQ(safe(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Safe, ChangesNothingThatIsEscapedAlready) {
  const std::string once = escaped(std::string_view(" \x1b\\\xff\n\0 ", 7), true);
  EXPECT_EQ(safe("cannot open " + once + ": why "), "cannot open " + once + ": why ");
}

TEST(ShellWord, IsNeverAnOption) {
  EXPECT_EQ(shell_word("plan-1"), "plan-1");
  EXPECT_EQ(shell_word("-q"), "./-q");
  EXPECT_EQ(shell_word("-a plan"), "'./-a plan'");
}

}  // namespace
}  // namespace fathom::cli

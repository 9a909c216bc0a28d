// IgnoreRules: the meaning of patterns, as in gitignore(5).

#include "fathom/fs/ignore.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fathom::fs {
namespace {

IgnoreRules rules(std::string_view text) {
  IgnoreRules made;
  made.add_text(text);
  return made;
}

bool ignores_file(std::string_view text, std::string_view path) {
  return rules(text).ignores(path, false);
}

bool ignores_directory(std::string_view text, std::string_view path) {
  return rules(text).ignores(path, true);
}

TEST(IgnoreRules, IgnoreNothingByDefault) {
  EXPECT_TRUE(rules("").empty());
  EXPECT_TRUE(rules("\n# a comment\n   \n/\n!\n").empty());
  EXPECT_FALSE(ignores_file("", "a"));
}

TEST(IgnoreRules, HaveAHashOfTheirTexts) {
  IgnoreRules line;
  line.add_line("*.o");
  EXPECT_EQ(line.text_hash(), 0U);
  EXPECT_EQ(rules("*.o\n").text_hash(), rules("*.o\n").text_hash());
  EXPECT_NE(rules("*.o\n").text_hash(), rules("*.c\n").text_hash());
  IgnoreRules two = rules("*.o\n");
  two.add_text("");
  EXPECT_NE(two.text_hash(), rules("*.o\n").text_hash());
}

TEST(IgnoreRules, ANameIsIgnoredAtAnyDepth) {
  EXPECT_TRUE(ignores_file("core", "core"));
  EXPECT_TRUE(ignores_file("core", "a/b/core"));
  EXPECT_FALSE(ignores_file("core", "score"));
  EXPECT_FALSE(ignores_file("core", "core/b"));  // not tested in practice: core was not entered
}

TEST(IgnoreRules, ASlashAnchorsAPatternAtTheRoot) {
  EXPECT_TRUE(ignores_file("/core", "core"));
  EXPECT_FALSE(ignores_file("/core", "a/core"));
  EXPECT_TRUE(ignores_file("a/core", "a/core"));
  EXPECT_FALSE(ignores_file("a/core", "b/a/core"));
}

TEST(IgnoreRules, ASlashAtTheEndMeansDirectories) {
  EXPECT_TRUE(ignores_directory("build/", "a/build"));
  EXPECT_FALSE(ignores_file("build/", "a/build"));
  EXPECT_TRUE(ignores_directory("/build/", "build"));
  EXPECT_FALSE(ignores_directory("/build/", "a/build"));
}

TEST(IgnoreRules, StarsAndQuestionMarksStopAtASlash) {
  EXPECT_TRUE(ignores_file("*.o", "a/b.o"));
  EXPECT_TRUE(ignores_file("a/*.o", "a/b.o"));
  EXPECT_FALSE(ignores_file("a/*.o", "a/b/c.o"));
  EXPECT_FALSE(ignores_file("a?b", "a/b"));
  EXPECT_FALSE(ignores_file("x/a?b", "x/a/b"));
  EXPECT_TRUE(ignores_file("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(ignores_file("a*b*c", "aXbXbX"));
}

TEST(IgnoreRules, TwoStarsMatchAnyNumberOfDirectories) {
  EXPECT_TRUE(ignores_file("**/x", "x"));
  EXPECT_TRUE(ignores_file("**/x", "a/b/x"));
  EXPECT_TRUE(ignores_file("a/**/x", "a/x"));
  EXPECT_TRUE(ignores_file("a/**/x", "a/b/c/x"));
  EXPECT_FALSE(ignores_file("a/**/x", "b/a/x"));
  EXPECT_TRUE(ignores_file("a/**", "a/b/c"));
  EXPECT_FALSE(ignores_directory("a/**", "a"));
  EXPECT_TRUE(ignores_file("/**", "a/b"));
  EXPECT_TRUE(ignores_file("a/**/b*/**/c", "a/b/x/b/c"));
}

TEST(IgnoreRules, SetsAndRangesAreThoseOfTheShell) {
  EXPECT_TRUE(ignores_file("[a-c]x", "bx"));
  EXPECT_FALSE(ignores_file("[!a-c]x", "bx"));
  EXPECT_FALSE(ignores_file("[^a-c]x", "bx"));
  EXPECT_TRUE(ignores_file("[]a]", "]"));
  EXPECT_TRUE(ignores_file("[a-]", "-"));
  EXPECT_TRUE(ignores_file("[\\]]", "]"));
  EXPECT_TRUE(ignores_file("[[:digit:]x]", "7"));
  EXPECT_FALSE(ignores_file("a[/]b/c", "a/b/c"));
  EXPECT_FALSE(ignores_file("x/a[!b]c", "x/a/c"));
}

TEST(IgnoreRules, AMalformedPatternMatchesNothing) {
  EXPECT_FALSE(ignores_file("[a", "a"));
  EXPECT_FALSE(ignores_file("[a", "[a"));
  EXPECT_FALSE(ignores_file("a\\", "a"));
  EXPECT_FALSE(ignores_file("[[:nothing:]]", "n"));
}

TEST(IgnoreRules, TheLastRuleThatMatchesDecides) {
  EXPECT_FALSE(ignores_file("*.o\n!keep.o\n", "keep.o"));
  EXPECT_TRUE(ignores_file("!keep.o\n*.o\n", "keep.o"));
  EXPECT_TRUE(ignores_file("*.o\n!keep.o\nkeep.*\n", "keep.o"));
}

TEST(IgnoreRules, ABackslashRemovesTheSpecialMeaning) {
  EXPECT_TRUE(ignores_file("\\#a", "#a"));
  EXPECT_TRUE(ignores_file("\\!a", "!a"));
  EXPECT_TRUE(ignores_file("a\\*", "a*"));
  EXPECT_FALSE(ignores_file("a\\*", "ab"));
}

TEST(IgnoreRules, SpacesAtTheEndCountOnlyAfterABackslash) {
  EXPECT_TRUE(ignores_file("a  ", "a"));
  EXPECT_TRUE(ignores_file("a\\  ", "a "));
  EXPECT_TRUE(ignores_file("a b", "a b"));
}

TEST(IgnoreRules, FilesFromWindowsAreRead) {
  EXPECT_TRUE(ignores_file("\xef\xbb\xbf*.o\r\n*.a\r\n", "x.o"));
  EXPECT_TRUE(ignores_file("\xef\xbb\xbf*.o\r\n*.a\r\n", "x.a"));
}

TEST(IgnoreRules, NamesAreBytes) {
  EXPECT_TRUE(ignores_file("\xff*", "\xff\x01"));
  EXPECT_TRUE(ignores_file("?", "\xff"));
  EXPECT_TRUE(ignores_file("[\x80-\xff]", "\xc3"));
  EXPECT_TRUE(ignores_file("a\nb", "b"));  // a rule has one line
}

TEST(IgnoreRules, NeedPathsOnlyForPatternsWithASlash) {
  EXPECT_FALSE(rules("*.o\nbuild/\n").need_paths());
  EXPECT_TRUE(rules("*.o\n/build\n").need_paths());
}

// Trying every way to distribute the text over the stars would take practically forever.
TEST(IgnoreRules, ManyStarsTakeNoLongerThanOne) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "*a";
  EXPECT_FALSE(ignores_file(pattern + "b", std::string(4000, 'a')));
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += "a/";
  EXPECT_FALSE(ignores_file("**/a/**/a/**/a/**/a/**/b", deep + "a"));
}

}  // namespace
}  // namespace fathom::fs

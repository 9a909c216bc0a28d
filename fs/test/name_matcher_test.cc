// NameMatcher: texts and patterns, in any case of ASCII letters.

#include "fathom/fs/name_matcher.h"

#include <gtest/gtest.h>

#include <string_view>

namespace fathom::fs {
namespace {

bool contains(std::string_view name, std::string_view text) {
  return NameMatcher(text)(name);
}

TEST(NameMatcher, FindsATextInAnyAsciiCase) {
  EXPECT_TRUE(contains("Makefile", "make"));
  EXPECT_TRUE(contains("makefile", "FILE"));
  EXPECT_TRUE(contains("aab", "ab"));
  EXPECT_TRUE(contains("x", "X"));
  EXPECT_TRUE(contains("caf\xc3\xa9", "\xc3\xa9"));
  EXPECT_TRUE(contains("a\xff", "\xff"));
  EXPECT_FALSE(contains("caf\xc3\xa9", "\xc3\x89"));
  EXPECT_FALSE(contains("mak", "make"));
  EXPECT_FALSE(contains("", "a"));
  EXPECT_FALSE(contains("@", "`"));  // differ by the same bit as A and a
  EXPECT_TRUE(contains("a[b", "[B"));
  EXPECT_TRUE(contains("a\\b", "\\"));
}

TEST(NameMatcher, MatchesAPatternAgainstTheWholeName) {
  EXPECT_TRUE(contains("boot.LOG", "*.log"));
  EXPECT_TRUE(contains("BOOT.log", "b??t.*"));
  EXPECT_TRUE(contains("A1", "[a-c][0-9]"));
  EXPECT_TRUE(contains("a1", "[A-C][!a-z]"));
  EXPECT_TRUE(contains("Q", "[[:upper:]]"));
  EXPECT_TRUE(contains("q", "[[:upper:]]"));
  EXPECT_FALSE(contains("1", "[[:lower:]]"));
  EXPECT_TRUE(contains("a*b", "a\\*?"));
  EXPECT_TRUE(contains("", "*"));
  EXPECT_TRUE(contains("core", "**/core"));
  EXPECT_TRUE(contains("a.tar.gz", "?.*.gz"));
  EXPECT_TRUE(contains("ab", "[a]b*"));
  EXPECT_FALSE(contains("boot.log.1", "*.log"));
  EXPECT_FALSE(contains("ab", "?"));
}

bool matches(std::string_view name, std::string_view pattern) {
  return NameMatcher(pattern, NameMatcher::Query::pattern)(name);
}

TEST(NameMatcher, ComparesAPatternWithoutWildcardsWithTheWholeName) {
  EXPECT_TRUE(matches("node_modules", "node_modules"));
  EXPECT_TRUE(matches("Makefile", "makefile"));
  EXPECT_FALSE(matches("node_modules.old", "node_modules"));
  EXPECT_FALSE(matches("old.node_modules", "node_modules"));
  EXPECT_TRUE(matches("a*b", "a\\*b"));
  EXPECT_FALSE(matches("aab", "a\\*b"));
  EXPECT_TRUE(matches("boot.LOG", "*.log"));
}

TEST(NameMatcher, MatchesNothingIfThePatternIsMalformed) {
  for (const std::string_view pattern : {"[a", "[", "a\\", "[[:letter:]]"}) {
    EXPECT_TRUE(Glob(pattern).malformed()) << pattern;
    EXPECT_FALSE(matches("a", pattern)) << pattern;
    EXPECT_FALSE(matches(pattern, pattern)) << pattern;
  }
  for (const std::string_view pattern : {"[a]", "]", "\\[", "[]]", "*"}) {
    EXPECT_FALSE(Glob(pattern).malformed()) << pattern;
  }
}

}  // namespace
}  // namespace fathom::fs

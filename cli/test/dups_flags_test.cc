// Tests of the flags of fathom dups and of parse_dups().

#include "flags/dups_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "term/message.h"

namespace fathom::cli {
namespace {

using Words = std::vector<std::string>;

std::string dups_refusal(const Words& arguments) {
  try {
    (void)parse_dups(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseDups, DefaultsToTheCurrentDirectoryAndFilesThatAreNotEmpty) {
  const DupsRequest request = parse_dups({});
  EXPECT_EQ(request.paths, Words({"."}));
  EXPECT_EQ(request.min_size, std::nullopt);
  EXPECT_FALSE(request.empty);
  EXPECT_EQ(request.top, 0U);
}

TEST(ParseDups, ReadsSizes) {
  EXPECT_EQ(parse_dups({"--min-size", "4k"}).min_size, 4096U);
  EXPECT_EQ(parse_dups({"--min-size=0"}).min_size, 0U);
}

TEST(ParseDups, UsesTheLastOfTopAndAll) {
  EXPECT_EQ(parse_dups({"--top", "3", "--all"}).top, 0U);
  EXPECT_EQ(parse_dups({"--all", "--top", "3"}).top, 3U);
}

TEST(ParseDups, RefusesConflictingFlags) {
  EXPECT_NE(dups_refusal({"--empty", "--min-size", "1"}), "");
  EXPECT_EQ(dups_refusal({"--empty", "--min-size", "0"}), "");
  EXPECT_NE(dups_refusal({"--summary", "--format", "json"}), "");
  EXPECT_EQ(dups_refusal({"--help", "--empty", "--min-size", "1"}), "");
}

TEST(ParseDups, RefusesWithApplyAndUndoWhatOnlyASearchUses) {
  const Words searches[] = {
      {"--min-size", "1M"}, {"--empty"},     {"--ext", "jpg"},    {"--exclude", "*.o"},
      {"--exclude-caches"}, {"--no-hidden"}, {"--only", "*.jpg"}, {"--newer", "7d"},
      {"--older", "7d"},    {"-x"},          {"-j", "2"},         {"--nice"},
      {"--drop-cache"},     {"--cache"},     {"--trace", "t"},    {"--memory"},
      {"--thread-stats"},   {"--top", "3"},  {"--summary"},       {"--exclude-kernfs"}};
  for (const Words& one : searches) {
    for (const char* const act : {"--apply", "--undo"}) {
      Words words{act, "file", "--execute"};
      words.insert(words.end(), one.begin(), one.end());
      const std::string refusal = dups_refusal(words);
      EXPECT_TRUE(refusal.ends_with("' applies to a search; '--apply' and '--undo' do not search"))
          << act << ' ' << one.front() << ": " << refusal;
    }
  }
  EXPECT_EQ(dups_refusal({"--apply", "plan", "--plain", "--si", "--progress", "never"}), "");
}

TEST(ParseDups, NamesTheCommandThatShowsHelp) {
  EXPECT_NE(dups_refusal({"-q"}).find("`fathom dups --help`"), std::string::npos);
  EXPECT_NE(dups_refusal({"--format"}).find("`fathom dups --help`"), std::string::npos);
}

}  // namespace
}  // namespace fathom::cli

// Tests of the flags of fathom dups and of parse_dups().

#include "dups/flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "dups/help.h"
#include "flag/help.h"
#include "message.h"

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

TEST(DupsFlags, AreAllInTheHelp) {
  const std::string help = full_help(dups_manual());
  for (const Flag& flag : dups_flags()) {
    const std::string line = "  " + usage_of(flag);
    EXPECT_NE(help.find('\n' + line + ' '), std::string::npos) << line;
    EXPECT_FALSE(flag.help.empty());
  }
}

TEST(DupsFlags, HaveUniqueNames) {
  const auto& flags = dups_flags();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(flags[i].name, flags[j].name);
      EXPECT_TRUE(flags[i].letter == '\0' || flags[i].letter != flags[j].letter);
    }
  }
}

TEST(DupsFlags, AcceptExactlyTheirListedValues) {
  int flags = 0;
  for (const Flag& flag : dups_flags()) {
    if (flag.values.empty()) continue;
    ++flags;
    const std::string name = "--" + std::string(flag.name);
    EXPECT_NE(dups_refusal({name, "\n"}), "");
    std::istringstream values{std::string(flag.values)};
    for (std::string value; values >> value;) EXPECT_EQ(dups_refusal({name, value}), "") << value;
  }
  EXPECT_GE(flags, 3);
}

TEST(DupsFlags, OfTheBriefHelpExist) {
  for (const std::string_view name : dups_manual().common) {
    EXPECT_TRUE(std::any_of(dups_flags().begin(), dups_flags().end(), [name](const Flag& flag) {
      return flag.name == name;
    })) << name;
  }
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
  EXPECT_NE(dups_refusal({"--newer", "2026-01-31", "--older", "2026-01-30"}), "");
  EXPECT_EQ(dups_refusal({"--help", "--empty", "--min-size", "1"}), "");
}

TEST(ParseDups, NamesTheCommandThatShowsHelp) {
  EXPECT_NE(dups_refusal({"-q"}).find("`fathom dups --help`"), std::string::npos);
  EXPECT_NE(dups_refusal({"--format"}).find("`fathom dups --help`"), std::string::npos);
}

}  // namespace
}  // namespace fathom::cli

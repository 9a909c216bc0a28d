// Tests of the flags of `fathom threads`.

#include "flags/threads_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "term/message.h"

namespace fathom::cli {
namespace {

using Words = std::vector<std::string>;

std::string refusal_of(const Words& words) {
  try {
    static_cast<void>(parse_threads(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseThreads, EverythingAfterTwoDashesIsTheCommand) {
  const ThreadsRequest request =
      parse_threads({"--by", "name", "--interval", "5", "--", "make", "--by", "-j4", "--", ""});
  EXPECT_EQ(request.command, (Words{"make", "--by", "-j4", "--", ""}));
  EXPECT_EQ(request.by, ThreadsBy::name);
  EXPECT_EQ(request.interval, 5U);
}

TEST(ParseThreads, HasTheDefaultsOfTheHelp) {
  const ThreadsRequest request = parse_threads({"--", "true"});
  EXPECT_EQ(request.interval, 100U);
  EXPECT_TRUE(request.children);
  EXPECT_EQ(request.by, ThreadsBy::family);
  EXPECT_EQ(request.slices, 0U);
  EXPECT_EQ(request.order, ThreadsOrder::processor);
  EXPECT_EQ(request.source, diag::SwitchSource::automatic);
  EXPECT_EQ(request.format, TableFormat::text);
}

TEST(ParseThreads, RefusesToGuessTheCommand) {
  EXPECT_EQ(refusal_of({}), "no command to run: fathom threads -- CMD [ARG...]");
  EXPECT_EQ(refusal_of({"--"}), "no command to run: fathom threads -- CMD [ARG...]");
  EXPECT_EQ(refusal_of({"make"}), "the command goes after '--': fathom threads -- make");
  EXPECT_EQ(refusal_of({"make", "--", "all"}),
            "the command goes after '--': fathom threads -- make");
}

TEST(ParseThreads, RecordsAProcessInsteadOfACommand) {
  const ThreadsRequest request = parse_threads({"--pid", "12", "--for", "2m"});
  EXPECT_EQ(request.process, 12);
  EXPECT_EQ(request.longest, std::chrono::seconds(120));
  EXPECT_TRUE(request.command.empty());
}

TEST(ParseThreads, RefusesCombinationsWithoutAMeaning) {
  EXPECT_EQ(refusal_of({"--pid", "1", "--", "make"}),
            "option '--pid' replaces the command; remove 'make'");
  EXPECT_EQ(refusal_of({"--for", "1s", "--", "make"}),
            "option '--for' works only with '--pid'; to limit a command, run it with timeout(1)");
  EXPECT_EQ(refusal_of({"--pid", "1", "--records", "always"}),
            "options '--pid' and '--records always' exclude each other: a running process is only "
            "sampled");
  EXPECT_EQ(refusal_of({"--format", "json", "--slices", "4", "--", "make"}),
            "option '--slices' does not apply to --format json, which has every sample");
}

}  // namespace
}  // namespace fathom::cli

// Tests of the flags of fathom scan and of parse_scan().

#include "flags/arguments.h"
#include "flags/scan_flags.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run/scan_session.h"
#include "term/message.h"
#include "term/similar.h"

namespace fathom::cli {
namespace {

using Paths = std::vector<std::string>;

TEST(Similar, ToleratesAFewWrongLetters) {
  const std::vector<std::string> known = {"scan", "help", "--help", "--threads"};
  EXPECT_EQ(similar("scna", known), "scan");
  EXPECT_EQ(similar("scanx", known), "scan");
  EXPECT_EQ(similar("--hepl", known), "--help");
  EXPECT_EQ(similar("--thraeds", known), "--threads");
  EXPECT_EQ(similar("soap", known), std::nullopt);
  EXPECT_EQ(similar("", known), std::nullopt);
  EXPECT_EQ(similar(std::string(1'000'000, 's'), known), std::nullopt);
}

TEST(ParseScan, DefaultsToTheCurrentDirectory) {
  EXPECT_EQ(parse_scan({}).paths, Paths({"."}));
  EXPECT_EQ(parse_scan({"--"}).paths, Paths({"."}));
  EXPECT_EQ(parse_scan({"a", "-x", "b"}).paths, Paths({"a", "b"}));
}

TEST(ParseScan, KeepsPathsUnchanged) {
  EXPECT_EQ(parse_scan({"[a,b]", "{}", "%%", "a=b", "-"}).paths,
            Paths({"[a,b]", "{}", "%%", "a=b", "-"}));
  EXPECT_EQ(parse_scan({"a", "--", "-x", "--", "--summary"}).paths,
            Paths({"a", "-x", "--", "--summary"}));
}

TEST(ParseScan, KeepsTheOrderAndRepetitionOfReports) {
  const ScanRequest request = parse_scan({"--errors", "--largest-files", "3", "--summary",
                                          "--largest-files=5", "--largest-dirs", "2"});
  ASSERT_EQ(request.reports.size(), 5U);
  EXPECT_EQ(request.reports[0].kind, fs::ReportKind::errors);
  EXPECT_EQ(request.reports[1].count, 3U);
  EXPECT_EQ(request.reports[2].kind, fs::ReportKind::summary);
  EXPECT_EQ(request.reports[3].count, 5U);
  EXPECT_EQ(request.reports[4].kind, fs::ReportKind::largest_dirs);
}

TEST(ParseScan, ReadsAges) {
  const auto age = [](const char* text) {
    return -parse_scan({"--recent", text}).reports.at(0).since.value().before(0);
  };
  EXPECT_EQ(age("90s"), 90);
  EXPECT_EQ(age("15m"), 15 * 60);
  EXPECT_EQ(age("1h"), 3600);
  EXPECT_EQ(age("7d"), 7 * 86'400);
  EXPECT_EQ(age("2w"), 14 * 86'400);
}

TEST(ParseScan, ReadsDisplayFlags) {
  const ScanRequest unsaid = parse_scan({});
  EXPECT_EQ(unsaid.order, std::nullopt);
  EXPECT_EQ(unsaid.depth, std::nullopt);
  EXPECT_EQ(unsaid.top, 0U);
  EXPECT_EQ(unsaid.progress, When::automatic);
  const ScanRequest said = parse_scan({"--sort", "mtime", "--depth=2", "--top", "7", "--plain"});
  EXPECT_EQ(said.order, Order::mtime);
  EXPECT_EQ(said.depth, 2U);
  EXPECT_EQ(said.top, 7U);
  EXPECT_TRUE(said.plain);
  EXPECT_EQ(said.progress, When::never);  // --plain redraws nothing
  EXPECT_EQ(parse_scan({"--plain", "--progress", "always"}).progress, When::always);
}

TEST(ParseScan, DistinguishesTheTwoHelps) {
  EXPECT_EQ(parse_scan({}).help, Help::none);
  EXPECT_EQ(parse_scan({"-h"}).help, Help::brief);
  EXPECT_EQ(parse_scan({"-xh"}).help, Help::brief);
  EXPECT_EQ(parse_scan({"--help"}).help, Help::full);
}

TEST(ParseScan, KeepsThePositionsOfTreeViews) {
  EXPECT_TRUE(parse_scan({"--summary"}).tree_views.empty());
  const ScanRequest request = parse_scan({"--tree", "--summary", "--errors", "--tree"});
  EXPECT_EQ(request.tree_views, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(request.reports.size(), 2U);
}

TEST(ParseScan, HasOneFlagForEachKindOfReport) {
  std::vector<fs::ReportKind> kinds;
  for (const Flag& flag : scan_manual().flags) {
    if (flag.group != FlagGroup::report || flag.name == "tree") continue;
    Paths arguments = {"--" + std::string(flag.name)};
    if (flag.arg == Arg::number) arguments.emplace_back("5");
    if (flag.arg == Arg::time) arguments.emplace_back("5m");
    kinds.push_back(parse_scan(arguments).reports.at(0).kind);
  }
  for (const fs::ReportInfo& report : fs::kReports) {
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), report.kind), 1) << report.head.key;
  }
}

TEST(ParseScan, ReadsFlagsInEveryUsualForm) {
  for (const Paths& form : {Paths{"-j4"},
                            {"-j", "4"},
                            {"--threads", "4"},
                            {"--threads=4"},
                            {"-xj4"},
                            {"-xj", "4"},
                            {"-j9", "-j4"}}) {
    EXPECT_EQ(parse_scan(form).threads, 4U) << form.front();
  }
  EXPECT_TRUE(parse_scan({"-xj4"}).one_file_system);
  EXPECT_EQ(parse_scan({"-o", "[a,b]"}).output, "[a,b]");
  EXPECT_EQ(parse_scan({"-o", "-j"}).output, "-j");
}

TEST(ParseScan, ReadsFlagsAfterPathsEvenIfTheRulesOfPosixAreRequested) {
  ::setenv("POSIXLY_CORRECT", "1", 1);
  const ScanRequest request = parse_scan({"/a", "-j4", "-", "--summary", "/b"});
  ::unsetenv("POSIXLY_CORRECT");
  EXPECT_EQ(request.threads, 4U);
  EXPECT_EQ(request.reports.size(), 1U);
  EXPECT_EQ(request.paths, (Paths{"/a", "-", "/b"}));
}

TEST(SplitArguments, TellsNamesApartThatShareTheirCharacters) {
  constexpr std::string_view kBoth = "longer";
  const std::array<Flag, 2> flags = {
      Flag{.name = kBoth.substr(0, 4), .help = "", .group = FlagGroup::scan},
      Flag{.name = kBoth, .help = "", .group = FlagGroup::scan}};
  const Arguments given = split_arguments("scan", flags, {"--longer", "--long"});
  ASSERT_EQ(given.flags.size(), 2U);
  EXPECT_EQ(given.flags[0].flag, 1U);
  EXPECT_EQ(given.flags[1].flag, 0U);
}

TEST(ParseScan, RefusesInvalidArguments) {
  for (const Paths& wrong : {Paths{"--frob"},
                             {"--thread", "4"},
                             {"--thread=4"},
                             {"--thread"},
                             {"--t"},
                             {"--=4"},
                             {"-j=4"},
                             {"-q"},
                             {"-xq"},
                             {"---x"},
                             {"-5"},
                             {"--summar"},
                             {"--summary=no"},
                             {"--no-summary"},
                             {"-j"},
                             {"-j", "0"},
                             {"-j", "1025"},
                             {"-j", "4x"},
                             {"-j", "-4"},
                             {"-j", ""},
                             {"--threads="},
                             {"--output=", "x"},
                             {"-o", ""},
                             {"--largest-files", "0"},
                             {"--largest-dirs", "99999999999999999999"},
                             {"--format", "xml"},
                             {"--format", "json", "--tree"},
                             {"--tree", "--format", "csv"},
                             {"--format", "csv", "--summary", "--errors"},
                             {"--recent", ""},
                             {"--recent", "1"},
                             {"--recent", "h"},
                             {"--recent", "0h"},
                             {"--recent", "-1h"},
                             {"--recent", "1.5h"},
                             {"--recent", "1 h"},
                             {"--recent", "1H"},
                             {"--recent", "99999999999w"},
                             {"--recent", "99999999999999999999s"},
                             {"--engine", "fast"},
                             {"--sort", "weight"},
                             {"--top", "0"},
                             {"--depth", "-1"},
                             {"--plain=yes"},
                             {"-summary"},
                             {"--progress", "maybe"},
                             {"--color", ""},
                             {""},
                             {"--", ""},
                             {"-j", "--", "4"}}) {
    EXPECT_THROW((void)parse_scan(wrong), UsageError) << wrong.front();
  }
}

TEST(ParseScan, SuggestsAlternatives) {
  const auto words = [](const Paths& arguments) -> std::string {
    try {
      (void)parse_scan(arguments);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words({"--sumary"}), "unknown option '--sumary'; did you mean '--summary'?");
  EXPECT_EQ(words({"-j", "0"}), "option '--threads' takes a number from 1 to 1024, not '0'");
  EXPECT_EQ(words({"--color", "\x1b[2J"}),
            "option '--color' takes auto, always or never, not '\\x1b[2J'");
  EXPECT_EQ(words({"--summary=1"}), "option '--summary' takes no value");
  EXPECT_EQ(words({"-summary"}), "unknown option '-summary'; did you mean '--summary'?");
  EXPECT_EQ(words({"-xs"}), "unknown option '-s'; did you mean '--depth 0'?");
  EXPECT_EQ(words({"-x=3"}), "unknown option '-='; `fathom scan --help` lists the options");
}

TEST(InterruptGrace, LastsTwoSecondsAfterTheInterrupt) {
  InterruptGrace grace;
  EXPECT_FALSE(grace.over(false, 100));
  EXPECT_FALSE(grace.over(true, 101));
  EXPECT_FALSE(grace.over(true, 102.9));
  EXPECT_TRUE(grace.over(true, 103));
}

}  // namespace
}  // namespace fathom::cli

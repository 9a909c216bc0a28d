// Tests of the tables of commands and flags.

#include "commands/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "flags/apply_flags.h"
#include "flags/browse_flags.h"
#include "flags/clean_flags.h"
#include "flags/diff_flags.h"
#include "flags/dups_flags.h"
#include "flags/find_flags.h"
#include "flags/growth_flags.h"
#include "flags/help.h"
#include "flags/log_flags.h"
#include "flags/scan_flags.h"
#include "flags/serve_flags.h"
#include "flags/snapshot_flags.h"
#include "flags/store_flags.h"
#include "flags/threads_flags.h"
#include "term/message.h"

namespace fathom::cli {
namespace {

using Words = std::vector<std::string>;

// A command with flags, and the parser of its arguments.
struct Parsed {
  const Manual& manual;
  std::function<void(const Words&)> parse;
};

// The parser of a command that needs a file.
std::function<void(const Words&)> with_file(ApplyRequest (*parse)(const Words&)) {
  return [parse](const Words& words) {
    Words with_name = words;
    with_name.emplace_back("file");
    (void)parse(with_name);
  };
}

std::vector<Parsed> parsed_commands() {
  return {{scan_manual(), [](const Words& words) { (void)parse_scan(words); }},
          {dups_manual(), [](const Words& words) { (void)parse_dups(words); }},
          {find_manual(),
           [](const Words& words) {
             (void)parse_find(words, [](const std::string&) { return false; });
           }},
          {serve_manual(), [](const Words& words) { (void)parse_serve(words); }},
          {snapshot_manual(), [](const Words& words) { (void)parse_snapshot(words); }},
          {log_manual(), [](const Words& words) { (void)parse_log(words); }},
          {store_manual(),
           [](const Words& words) {
             Words with_act = words;
             if (words.empty() || words.front() != "list") with_act.emplace_back("list");
             (void)parse_store(with_act);
           }},
          {diff_manual(), [](const Words& words) { (void)parse_diff(words); }},
          {growth_manual(), [](const Words& words) { (void)parse_growth(words); }},
          {apply_manual(), with_file(parse_apply)},
          {undo_manual(), with_file(parse_undo)},
          {clean_manual(), [](const Words& words) { (void)parse_clean(words); }},
          {browse_manual(), [](const Words& words) { (void)parse_browse(words); }},
          {threads_manual(), [](const Words& words) { (void)parse_threads(words); }}};
}

// The sentence of the refusal; empty if the arguments are valid.
std::string refusal(const Parsed& command, const Words& arguments) {
  try {
    command.parse(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

void expect_at_most_80_columns(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Commands, WithFlagsAreAllTestedHere) {
  std::size_t with_flags = 0;
  for (const Command& command : commands()) with_flags += command.manual != nullptr ? 1U : 0U;
  EXPECT_EQ(with_flags, parsed_commands().size());
}

TEST(Commands, AreAllInTheOverview) {
  const std::string text = overview();
  expect_at_most_80_columns(text);
  for (const Command& command : commands()) {
    const std::string row =
        "\n  " + std::string(command.name) + ' ' + std::string(command.operands);
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(Flags, AreAllInTheHelp) {
  for (const Parsed& command : parsed_commands()) {
    const std::string help = full_help(command.manual);
    expect_at_most_80_columns(help);
    for (const Flag& flag : command.manual.flags) {
      const std::string row = "\n  " + usage_of(flag) + ' ';
      EXPECT_NE(help.find(row), std::string::npos) << row;
      EXPECT_FALSE(help_of(flag).empty()) << row;
    }
  }
}

TEST(Flags, ThatAreCommonFitOnOneScreen) {
  for (const Parsed& command : parsed_commands()) {
    const std::string help = brief_help(command.manual);
    expect_at_most_80_columns(help);
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24) << help;
  }
}

TEST(Flags, HaveUniqueNames) {
  for (const Parsed& command : parsed_commands()) {
    const auto& flags = command.manual.flags;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_NE(flags[i].name, flags[j].name);
        EXPECT_TRUE(flags[i].letter == '\0' || flags[i].letter != flags[j].letter);
      }
    }
  }
}

TEST(Flags, TakeExactlyTheirChoices) {
  std::size_t choosing = 0;
  for (const Parsed& command : parsed_commands()) {
    for (const Flag& flag : command.manual.flags) {
      if (flag.arg != Arg::choice) continue;
      ++choosing;
      const std::string name = "--" + std::string(flag.name);
      Words needed;
      if (flag.name == "action") needed = {"--plan", "p", "."};
      if (command.manual.command == "threads") needed = {"--", "true"};
      for (const Choice& choice : flag.choices) {
        Words arguments = {name, std::string(choice.name)};
        arguments.insert(arguments.end(), needed.begin(), needed.end());
        EXPECT_EQ(refusal(command, arguments), "");
      }
      EXPECT_EQ(refusal(command, {name, "\n"}),
                "option '" + name + "' takes " + listed(flag.choices, false) + ", not '\\n'");
    }
  }
  EXPECT_GE(choosing, 15U);
}

TEST(Flags, RefuseAnInvalidArgumentOfEachKind) {
  for (const Parsed& command : parsed_commands()) {
    for (const Flag& flag : command.manual.flags) {
      if (flag.arg == Arg::none || flag.name.empty()) continue;
      const std::string name = "--" + std::string(flag.name);
      const std::string sentence = refusal(command, {name, ""});
      EXPECT_TRUE(sentence.starts_with("option '" + name + "' takes ")) << sentence;
      EXPECT_EQ(sentence.find("another argument"), sentence.npos) << sentence;
    }
  }
}

// The flags that are refused beside --from. Each is given with an argument that is valid for it.
std::set<std::string> refused_for_a_saved_scan(const Parsed& command) {
  std::set<std::string> refused;
  for (const Flag& flag : command.manual.flags) {
    if (flag.name.empty() || flag.name == "from") continue;
    const std::string name = "--" + std::string(flag.name);
    Words arguments = {"--from", "f", name};
    if (!flag.choices.empty()) {
      arguments.emplace_back(flag.choices.front().name);
    } else if (flag.arg != Arg::none) {
      arguments.emplace_back(flag.arg == Arg::time ? "1d" : "1");
    }
    const std::string sentence =
        "option '" + name + "' applies to a scan, but '--from' reads a saved one";
    if (refusal(command, arguments) == sentence) refused.insert(name);
  }
  return refused;
}

TEST(Flags, OfAScanExcludeASavedOne) {
  std::set<std::string> expected = {"--exclude-caches", "--exclude-kernfs", "--one-file-system",
                                    "--threads",        "--nice",           "--max-ops",
                                    "--trace"};
  std::set<std::string> of_serve = expected;
  of_serve.insert("--live");
  EXPECT_EQ(refused_for_a_saved_scan(parsed_commands()[3]), of_serve);
  expected.insert({"--explain", "--engine", "--snapshot", "--memory", "--thread-stats"});
  EXPECT_EQ(refused_for_a_saved_scan(parsed_commands()[0]), expected);  // scan
}

TEST(Choices, AreListedWithOrBeforeTheLast) {
  constexpr Choice kSizes[] = {{"small", " (default)"}, {"large"}, {"huge"}};
  EXPECT_EQ(listed(kSizes, false), "small, large or huge");
  EXPECT_EQ(listed(kSizes, true), "small (default), large or huge");
  EXPECT_EQ(names(kSizes), "small large huge");
  constexpr Choice kPrefix[] = {{"small"}, {"glob:", "GLOB"}};
  EXPECT_EQ(names(kPrefix), "small");
}

}  // namespace
}  // namespace fathom::cli

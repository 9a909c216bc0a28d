// Flag: an option of a command, as its user sees it.
//
// A flag is one row in the table of its command: parsing, refusals, both helps, the manual page and
// the completions of three shells are derived from it.
//
//   constexpr FlagOf<ScanRequest> kFlags[] = {
//       {{.name = "depth", .arg = Arg::number, .metavar = "N",
//         .help = "the tree view shows N levels", .group = FlagGroup::output},
//        set_number<&ScanRequest::depth>},
//   };

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

enum class FlagGroup : std::uint8_t { report, output, act, select, scan, shard, display };

// The kind of a flag's argument, which decides how it is parsed and completed.
enum class Arg : std::uint8_t {
  none,
  file,       // a file name, but not "-"
  stream,     // a file name, or "-" for a standard stream
  directory,  // the name of a directory
  choice,     // one of Flag::choices
  number,     // a number in Flag::range
  size,       // bytes, with or without a unit
  time,       // an age, a day, a date, or seconds since the epoch
  text,       // anything else; Flag::choices are suggestions
};

// A valid argument. In the help, the note follows the name: {"text", " (default)"}.
struct Choice {
  std::string_view name;
  std::string_view note = {};
};

// A choice and the value for which it stands.
template <class Value>
struct ChoiceOf {
  Choice choice;
  Value value;
};

// The choices of a table of ChoiceOf<Value>. Static, because GCC 14 merges those of tables that
// have the same name in unnamed namespaces of several files.
template <const auto& kTable>
static constexpr auto kChoices = [] {
  std::array<Choice, std::size(kTable)> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) choices[i] = kTable[i].choice;
  return choices;
}();

struct Range {
  std::size_t smallest;
  std::size_t largest;
};

inline constexpr Range kCounts = {1, 1'000'000'000};

struct Flag {
  std::string_view name = {};  // without dashes; empty: it has only a letter
  char letter = '\0';          // '\0': none
  Arg arg = Arg::none;
  std::string_view metavar = {};  // the argument's name in the help
  std::string_view help;          // "{}" stands for the choices with their notes
  std::string_view brief = {};    // for the brief help; empty: the choices, or else the help
  FlagGroup group;
  bool common = false;      // the brief help shows it
  bool needs_scan = false;  // it does not apply to a saved scan
  Range range = kCounts;
  std::span<const Choice> choices = {};
  std::string_view takes = {};  // in a refusal, the valid arguments; empty: as the kind says
};

template <class Request>
struct FlagOf {
  Flag flag;
  // Stores the argument in the request. Throws UsageError if it is not valid.
  void (*apply)(Request& request, const Flag& flag, std::string_view argument);
};

// The same flag with another help text; the brief help shows it if there is one for that.
template <class Request>
constexpr FlagOf<Request> with_help(FlagOf<Request> flag, std::string_view help,
                                    std::string_view brief = {}) {
  flag.flag.help = help;
  flag.flag.brief = brief;
  flag.flag.common = !brief.empty();
  return flag;
}

template <class Request, std::size_t N>
std::vector<Flag> flags_of(const std::array<FlagOf<Request>, N>& table) {
  std::vector<Flag> flags;
  for (const FlagOf<Request>& row : table) flags.push_back(row.flag);
  return flags;
}

// The ways to write the flag: {"-o", "--output"}.
[[nodiscard]] std::vector<std::string> spellings(const Flag& flag);

// "text, json or csv", with the notes if wanted.
[[nodiscard]] std::string listed(std::span<const Choice> choices, bool with_notes);

// "text json csv", for completion; without prefixes such as "glob:".
[[nodiscard]] std::string names(std::span<const Choice> choices);

// The help, and the one line of the brief help.
[[nodiscard]] std::string help_of(const Flag& flag);
[[nodiscard]] std::string brief_of(const Flag& flag);

}  // namespace fathom::cli

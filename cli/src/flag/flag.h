// Flag: an option of a command, as its user sees it.
//
// A flag is one row in the table of its command. Parsing, help, the manual page and shell
// completion are derived from that table.
//
//   constexpr FlagOf<ScanRequest> kFlags[] = {
//       {{"depth", '\0', "N", "the tree view shows N levels", FlagGroup::output}, set_depth},
//   };

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

enum class FlagGroup { report, output, act, select, scan, display };

struct Flag {
  std::string_view name;      // without dashes; empty: it has only a letter
  char letter;                // '\0': none
  std::string_view argument;  // its name in the help; FILE is a file name; empty: takes none
  std::string_view help;
  FlagGroup group;
  std::string_view values = {};  // all valid arguments, separated by spaces; empty: not a choice
};

template <class Request>
struct FlagOf {
  Flag flag;
  // Stores the argument in the request. Throws UsageError if it is not valid.
  void (*apply)(Request& request, std::string_view argument);
};

// The same flag with another help text.
template <class Request>
constexpr FlagOf<Request> with_help(FlagOf<Request> flag, std::string_view help) {
  flag.flag.help = help;
  return flag;
}

template <class Request, std::size_t N>
std::vector<Flag> flags_of(const FlagOf<Request> (&table)[N]) {
  std::vector<Flag> flags;
  for (const FlagOf<Request>& row : table) flags.push_back(row.flag);
  return flags;
}

// The ways to write the flag: {"-o", "--output"}.
[[nodiscard]] std::vector<std::string> spellings(const Flag& flag);

}  // namespace fathom::cli

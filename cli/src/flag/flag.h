// Flag: an option of a command, as people meet it.
//
// One flag is one row of its command's table, from which parsing, help, the manual page and what
// shells complete are derived.
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
  std::string_view name;      // without dashes; empty: it has but a letter
  char letter;                // '\0': none
  std::string_view argument;  // what help calls it; FILE: a file's name; empty: takes none
  std::string_view help;
  FlagGroup group;
  std::string_view values = {};  // that the argument may have, with blanks between; empty: others
};

template <class Request>
struct FlagOf {
  Flag flag;
  // Puts the argument into the request. Throws UsageError with what is wrong with it.
  void (*apply)(Request& request, std::string_view argument);
};

// The same flag, for a command of which it says something else.
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

// How it may be written: {"-o", "--output"}.
[[nodiscard]] std::vector<std::string> spellings(const Flag& flag);

}  // namespace fathom::cli

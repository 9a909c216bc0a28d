// Arguments: splitting a command line with CLI11, and the checks that CLI11 lacks.

#include "flags/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "term/label.h"
#include "term/message.h"
#include "term/similar.h"

namespace fathom::cli {

namespace {

std::string see_help(std::string_view command) {
  return "; `fathom " + std::string(command) + " --help` lists the options";
}

// Options of du, dust, dua, gdu, ncdu, fclones and jdupes, and ours with that meaning. With several
// rows, the first that the command has.
struct OptionOfPeers {
  std::string_view theirs;
  std::string_view ours;  // a name
  std::string_view value = {};
};
constexpr OptionOfPeers kOptionsOfPeers[] = {
    {"--max-depth", "depth"}, {"-d", "depth"},
    {"-d", "action"},         {"-s", "depth", "0"},
    {"-s", "min-size"},       {"-n", "top"},
    {"--number", "top"},      {"--limit", "top"},
    {"-a", "largest-files"},  {"--size", "min-size"},
    {"-t", "min-size"},       {"--threshold", "min-size"},
    {"--min", "min-size"},    {"-b", "apparent-size"},
    {"-A", "apparent-size"},  {"-H", "si"},
    {"-e", "exclude"},        {"-i", "exclude"},
    {"-I", "exclude"},        {"--ignore", "exclude"},
    {"--delete", "action"},
};

// An argument of several letters, such as "-sh", counts as its first.
std::optional<std::string> option_of_peers(std::string_view option, std::span<const Flag> flags) {
  const bool is_long = option.starts_with("--");
  for (const OptionOfPeers& row : kOptionsOfPeers) {
    if (is_long ? option != row.theirs : option.substr(0, 2) != row.theirs) continue;
    const auto is_ours = [&row](const Flag& flag) { return flag.name == row.ours; };
    if (std::none_of(flags.begin(), flags.end(), is_ours)) continue;
    return "--" + std::string(row.ours) + (row.value.empty() ? "" : ' ' + std::string(row.value));
  }
  return std::nullopt;
}

[[noreturn]] void refuse_option(std::string_view command, std::span<const Flag> flags,
                                std::string_view argument) {
  const std::string_view option = argument.substr(0, argument.find('='));
  std::string sentence = "unknown option '" + escaped(option) + "'";
  auto meant = option_of_peers(option, flags);
  if (!meant) meant = similar_option(option, flags);
  sentence += meant ? "; did you mean '" + *meant + "'?" : see_help(command);
  throw UnknownOption(sentence, std::string(argument));
}

// Rejects what CLI11 reads differently from getopt_long(): it would take the next argument as the
// value of "--name=", and would accept "no" as the value of a flag without an argument.
void check_values(std::span<const Flag> flags, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    for (const Flag& flag : flags) {
      const std::string name = "--" + std::string(flag.name);
      if (!argument.starts_with(name + '=')) continue;
      if (flag.arg == Arg::none) throw UsageError("option '" + name + "' takes no value");
      if (argument.size() == name.size() + 1) {
        throw UsageError("option '" + name + "' needs a value");
      }
    }
  }
}

// CLI11 has read "-summary" letter by letter, so the rest of it would make a confusing message.
void check_dashes(std::span<const Flag> flags, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.size() < 3 || argument[0] != '-' || argument[1] == '-') continue;
    for (const Flag& flag : flags) {
      if (flag.name != argument.substr(1)) continue;
      throw UsageError("unknown option '" + argument + "'; did you mean '-" + argument + "'?");
    }
  }
}

class Splitter {
 public:
  Splitter(std::string_view command, std::span<const Flag> flags)
      : command_(command), flags_(flags) {
    app_.set_help_flag("");
    app_.allow_extras();  // the paths; split_arguments() finds unknown options among them
    for (std::size_t place = 0; place < flags.size(); ++place) {
      const Flag& flag = flags[place];
      std::string names;
      for (const std::string& spelling : spellings(flag)) {
        names += (names.empty() ? "" : ",") + spelling;
      }
      const bool bare = flag.arg == Arg::none;
      CLI::Option* option = bare ? app_.add_flag(names) : app_.add_option(names);
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      if (!bare) option->type_size(1)->expected(1)->allow_extra_args(false);
      by_option_[option] = place;
    }
  }

  // Takes the last argument first, as CLI11 expects.
  Arguments split(std::vector<std::string> reversed) {
    parse(std::move(reversed));
    Arguments found;
    std::unordered_map<const CLI::Option*, std::size_t> seen;
    for (const CLI::Option* option : app_.parse_order()) {
      const std::size_t flag = by_option_.at(option);
      const std::size_t index = seen[option]++;
      const bool bare = flags_[flag].arg == Arg::none;
      found.flags.push_back({flag, bare ? "" : option->results().at(index)});
    }
    found.paths = app_.remaining();
    return found;
  }

 private:
  void parse(std::vector<std::string> reversed) {
    const std::string last = reversed.empty() ? "" : reversed.front();
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::ParseError&) {
      // A missing value is the only error left. The messages of CLI11 are about types and counts.
      throw UsageError("option '" + escaped(last) + "' needs a value" + see_help(command_));
    }
  }

  const std::string_view command_;
  const std::span<const Flag> flags_;
  CLI::App app_;
  std::unordered_map<const CLI::Option*, std::size_t> by_option_;  // the index of the flag
};

}  // namespace

Arguments split_arguments(std::string_view command, std::span<const Flag> flags,
                          const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const std::vector<std::string> before(arguments.begin(), end);
  check_values(flags, before);
  Arguments found = Splitter(command, flags).split({before.rbegin(), before.rend()});
  for (const std::string& path : found.paths) {
    if (path.size() < 2 || !path.starts_with('-')) continue;
    check_dashes(flags, before);
    refuse_option(command, flags, path);
  }
  if (end != arguments.end()) {
    found.before_dashes = found.paths.size();
    found.paths.insert(found.paths.end(), end + 1, arguments.end());
  }
  return found;
}

std::optional<std::string> similar_option(std::string_view option, std::span<const Flag> flags) {
  constexpr std::size_t kShortest = 3;  // letters; fewer could mean anything
  if (!option.starts_with("--")) return std::nullopt;
  const std::string_view word = option.substr(2, option.find('=') - 2);
  if (word.size() < kShortest) return std::nullopt;
  std::vector<std::string> names;
  for (const Flag& flag : flags) {
    if (flag.name.starts_with(word)) return "--" + std::string(flag.name);
    if (!flag.name.empty()) names.emplace_back(flag.name);
  }
  const auto meant = similar(word, names);
  return meant ? std::optional("--" + *meant) : std::nullopt;
}

void finish(CommonRequest& request, const Arguments& given) {
  for (const std::string& path : given.paths) {
    if (path.empty()) throw UsageError("a path is empty; for the current directory, use '.'");
  }
  request.paths = given.paths;
  if (request.paths.empty()) request.paths.emplace_back(".");
  // A screen reader would read a redrawn line again and again.
  if (request.plain && request.progress == When::automatic) request.progress = When::never;
}

void check_csv(const CommonRequest& request, bool is_csv) {
  if (is_csv || request.csv_texts == fs::CsvTexts::exact) return;
  throw UsageError("option '--csv-safe' needs '--format csv'");
}

void check_from(const CommonRequest& request, std::span<const Flag> flags, const Arguments& given) {
  if (!request.from) return;
  if (!given.paths.empty()) {
    throw UsageError("option '--from' replaces the scan; remove '" + escaped(given.paths.front()) +
                     "'");
  }
  for (const Arguments::Given& one : given.flags) {
    const Flag& flag = flags[one.flag];
    if (!flag.needs_scan) continue;
    throw UsageError("option '--" + std::string(flag.name) +
                     "' applies to a scan, but '--from' reads a saved one");
  }
}

void check_from_store(const CommonRequest& request) {
  if (!request.store || (request.from && request.from->starts_with('@'))) return;
  throw UsageError("option '--store' needs '--from' with the name of a snapshot, such as @latest");
}

}  // namespace fathom::cli

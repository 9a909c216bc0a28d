#include "scan/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "message.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

constexpr std::string_view kSeeHelp = "; `fathom scan --help` lists the options";

// How many letters must be added, dropped or exchanged to make a of b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

[[noreturn]] void refuse_option(std::span<const ScanFlag> flags, std::string_view argument) {
  const std::string_view option = argument.substr(0, argument.find('='));
  std::string sentence = "unknown option '" + escaped(option) + "'";
  for (const ScanFlag& flag : flags) {
    const std::string name = "--" + std::string(flag.name);
    if (option.size() > 4 && (distance(option, name) <= 2 || name.starts_with(option))) {
      throw UsageError(sentence + "; did you mean '" + name + "'?");
    }
  }
  if (option.size() > 1) sentence += "; a path that begins with '-' goes after '--'";
  throw UsageError(sentence + std::string(kSeeHelp));
}

// What CLI11 reads otherwise than users of getopt_long() expect: it would take the next argument as
// the value of "--name=", and "no" as one of a flag.
void check_values(std::span<const ScanFlag> flags, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    for (const ScanFlag& flag : flags) {
      const std::string name = "--" + std::string(flag.name);
      if (!argument.starts_with(name + '=')) continue;
      if (flag.argument.empty()) throw UsageError("option '" + name + "' takes no value");
      if (argument.size() == name.size() + 1) {
        throw UsageError("option '" + name + "' needs a value");
      }
    }
  }
}

class Splitter {
 public:
  explicit Splitter(std::span<const ScanFlag> flags) : flags_(flags) {
    app_.set_help_flag("");
    app_.allow_extras();  // the paths; unknown options are told from them in paths()
    for (const ScanFlag& flag : flags) {
      std::string names = "--" + std::string(flag.name);
      if (flag.letter != '\0') names += std::string(",-") + flag.letter;
      CLI::Option* option = flag.argument.empty() ? app_.add_flag(names) : app_.add_option(names);
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      if (!flag.argument.empty()) option->type_size(1)->expected(1)->allow_extra_args(false);
      by_option_[option] = &flag;
    }
  }

  // The last argument first, as CLI11 wants them.
  Arguments split(std::vector<std::string> reversed) {
    parse(std::move(reversed));
    Arguments found;
    std::unordered_map<const CLI::Option*, std::size_t> seen;
    for (const CLI::Option* option : app_.parse_order()) {
      const ScanFlag* flag = by_option_.at(option);
      const std::size_t index = seen[option]++;
      found.flags.push_back({flag, flag->argument.empty() ? "" : option->results().at(index)});
    }
    found.paths = app_.remaining();
    for (const std::string& path : found.paths) {
      if (path.size() > 1 && path.starts_with('-')) refuse_option(flags_, path);
    }
    return found;
  }

 private:
  void parse(std::vector<std::string> reversed) {
    const std::string last = reversed.empty() ? "" : reversed.front();
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::ParseError&) {
      // Nothing else is left that it could refuse. Its own words would speak of types and counts.
      throw UsageError("option '" + escaped(last) + "' needs a value" + std::string(kSeeHelp));
    }
  }

  std::span<const ScanFlag> flags_;
  CLI::App app_;
  std::unordered_map<const CLI::Option*, const ScanFlag*> by_option_;
};

}  // namespace

Arguments split_arguments(std::span<const ScanFlag> flags,
                          const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> before(arguments.begin(), end);
  check_values(flags, before);
  std::reverse(before.begin(), before.end());
  Arguments found = Splitter(flags).split(std::move(before));
  if (end != arguments.end()) found.paths.insert(found.paths.end(), end + 1, arguments.end());
  return found;
}

}  // namespace fathom::cli

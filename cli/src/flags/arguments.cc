// Arguments: splits a command line with getopt_long(), and refuses what it is too lenient about.

#include "flags/arguments.h"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "term/label.h"
#include "term/message.h"
#include "term/similar.h"

namespace fathom::cli {

namespace {

std::string did_you_mean(const std::string& option) {
  return "; did you mean '" + option + "'?";
}

std::string see_help(std::string_view command) {
  return "; `fathom " + std::string(command) + " --help` lists the options";
}

// Options of du, dust, dua, gdu, ncdu, fclones, jdupes and others, and ours with that meaning. With
// several rows, the first that the command has.
struct OptionOfPeers {
  std::string_view theirs;
  std::string_view ours;  // a name
  std::string_view value = {};
};
constexpr OptionOfPeers kOptionsOfPeers[] = {
    {"--max-depth", "depth"},   {"-d", "depth"},
    {"-d", "action"},           {"-s", "depth", "0"},
    {"-s", "min-size"},         {"-n", "top"},
    {"--number", "top"},        {"--limit", "top"},
    {"-a", "largest-files"},    {"--size", "min-size"},
    {"-t", "min-size"},         {"--threshold", "min-size"},
    {"--min", "min-size"},      {"-b", "apparent-size"},
    {"-A", "apparent-size"},    {"-H", "si"},
    {"-e", "exclude"},          {"-i", "exclude"},
    {"-I", "exclude"},          {"--ignore", "exclude"},
    {"--delete", "action"},     {"--json", "format", "json"},
    {"--csv", "format", "csv"},
};

// An argument of several letters, such as "-sh", counts as its first.
std::optional<std::string> option_of_peers(std::string_view option, std::span<const Flag> flags) {
  const bool is_long = option.starts_with("--");
  for (const OptionOfPeers& row : kOptionsOfPeers) {
    if (is_long ? option != row.theirs : option.substr(0, 2) != row.theirs) continue;
    const auto is_ours = [&row](const Flag& flag) {
      const auto is_value = [&row](const Choice& choice) { return choice.name == row.value; };
      return flag.name == row.ours &&
             (flag.arg != Arg::choice || row.value.empty() ||
              std::any_of(flag.choices.begin(), flag.choices.end(), is_value));
    };
    if (std::none_of(flags.begin(), flags.end(), is_ours)) continue;
    return "--" + std::string(row.ours) + (row.value.empty() ? "" : ' ' + std::string(row.value));
  }
  return std::nullopt;
}

// The option is a part of the argument.
[[noreturn]] void refuse_option(std::string_view command, std::span<const Flag> flags,
                                std::string_view option, const std::string& argument) {
  auto meant = option_of_peers(option, flags);
  if (!meant) meant = similar_option(option, flags);
  throw UnknownOption("unknown option '" + escaped(option) + "'",
                      meant ? did_you_mean(*meant) : see_help(command), argument);
}

// Parses arguments with getopt_long(). Not for several threads: that function keeps its place in
// global variables.
class Parser {
 public:
  Parser(std::string_view command, std::span<const Flag> flags,
         const std::vector<std::string>& arguments)
      : command_(command), flags_(flags), arguments_(arguments) {
    texts_.reserve(flags.size());
    for (std::size_t place = 0; place < flags.size(); ++place) add(flags[place], place);
    names_.push_back({});
    values_.push_back(const_cast<char*>(""));  // the place of the program's name
    for (const std::string& argument : arguments_) {
      values_.push_back(const_cast<char*>(argument.c_str()));  // not changed: nothing is permuted
    }
    values_.push_back(nullptr);
  }

  Arguments parse() {
    optind = 0;  // starts again
    while (take_next()) continue;
    return std::move(found_);
  }

 private:
  // getopt_long() returns a letter, or the index of a flag plus this.
  static constexpr int kFirstFlag = 256;
  static constexpr int kPath = 1;

  void add(const Flag& flag, std::size_t place) {
    const bool bare = flag.arg == Arg::none;
    if (flag.letter != '\0') {
      by_letter_[static_cast<unsigned char>(flag.letter)] = place;
      letters_ += flag.letter;
      if (!bare) letters_ += ':';
    }
    if (flag.name.empty()) return;
    names_.push_back({texts_.emplace_back(flag.name).c_str(),
                      bare ? no_argument : required_argument, nullptr,
                      kFirstFlag + static_cast<int>(place)});
  }

  bool take_next() {
    const auto at = static_cast<std::size_t>(std::max(optind, 1));
    const int count = static_cast<int>(values_.size()) - 1;
    const int taken = getopt_long(count, values_.data(), letters_.c_str(), names_.data(), nullptr);
    if (taken == -1 && optind >= count) return false;
    if (taken == -1 || taken == kPath) {
      // The C library musl ends at "-".
      found_.paths.emplace_back(taken == kPath ? optarg
                                               : values_[static_cast<std::size_t>(optind++)]);
      return true;
    }
    const std::string& argument = arguments_[at - 1];
    if (taken == '?') refuse(argument);
    const std::size_t flag = place_of(taken == ':' ? optopt : taken);
    check_name(argument, flags_[flag]);
    const bool bare = flags_[flag].arg == Arg::none;
    if (taken == ':') throw UsageError(needs_value(argument) + see_help(command_));
    found_.flags.push_back({flag, bare ? "" : optarg});
    return true;
  }

  [[nodiscard]] std::size_t place_of(int taken) const {
    if (taken >= kFirstFlag) return static_cast<std::size_t>(taken - kFirstFlag);
    return by_letter_[static_cast<unsigned char>(taken)];
  }

  // getopt_long() also accepts the beginning of a name, and an empty value.
  void check_name(const std::string& argument, const Flag& flag) const {
    if (!argument.starts_with("--")) return;
    const std::size_t end = std::min(argument.find('='), argument.size());
    const std::string option = argument.substr(0, end);
    if (option.substr(2) != flag.name) refuse_option(command_, flags_, option, argument);
    if (end + 1 == argument.size()) throw UsageError(needs_value(option));
  }

  static std::string needs_value(const std::string& option) {
    return "option '" + escaped(option) + "' needs a value";
  }

  [[noreturn]] void refuse(const std::string& argument) const {
    for (const Flag& flag : flags_) {
      const std::string name = "--" + std::string(flag.name);
      if (flag.name.empty()) continue;
      if (argument.starts_with(name + '=')) {
        throw UsageError("option '" + name + "' takes no value");
      }
      if (argument == name.substr(1)) {  // "-summary"
        throw UnknownOption("unknown option '" + argument + "'", did_you_mean(name), argument);
      }
    }
    // Of "-xq", only the second letter is unknown.
    const bool is_later = !argument.starts_with("--") && argument[1] != optopt;
    const std::string option = is_later ? std::string("-") + static_cast<char>(optopt)
                                        : argument.substr(0, argument.find('=', 2));
    refuse_option(command_, flags_, option, argument);
  }

  const std::string_view command_;
  const std::span<const Flag> flags_;
  const std::vector<std::string>& arguments_;
  std::string letters_ = "-:";  // paths stay in their place, and errors print nothing
  std::array<std::size_t, kFirstFlag> by_letter_{};
  std::vector<std::string> texts_;  // of names_, which end with a zero
  std::vector<struct option> names_;
  std::vector<char*> values_;
  Arguments found_;
};

}  // namespace

Arguments split_arguments(std::string_view command, std::span<const Flag> flags,
                          const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const std::vector<std::string> before(arguments.begin(), end);
  Arguments found = Parser(command, flags, before).parse();
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

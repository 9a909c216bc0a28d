// Values: parsing the arguments of flags, and refusing those that are not valid.

#include "flags/values.h"

#include <charconv>
#include <system_error>

#include "fathom/base/bytes.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// The valid arguments of the flag's kind, for a refusal.
std::string arguments_of(const Flag& flag) {
  switch (flag.arg) {
    case Arg::file:
    case Arg::stream:
      return "a file name";
    case Arg::directory:
      return "the name of a directory";
    case Arg::choice:
      return listed(flag.choices, false);
    case Arg::number:
      return "a number from " + std::to_string(flag.range.smallest) + " to " +
             std::to_string(flag.range.largest);
    case Arg::size:
      return "a size such as 4096, 10M, 1.5GiB or 2GB";
    case Arg::time:
      return "a time";  // examples follow
    case Arg::none:
    case Arg::text:
      break;
  }
  return "another argument";
}

// Valid arguments of a kind that has many forms, and what each means.
struct Example {
  std::string_view argument;
  std::string_view meaning;
};
constexpr Example kTimeExamples[] = {
    {"12h", "ago; units: s, m, h, d, w; up to 366000d"},
    {"yesterday", "its start, local time; also today"},
    {"2026-01-31", "the start of a day, local time"},
    {"2026-01-31T08:00", "local time"},
    {"2026-01-31T08:00:00", "local time"},
    {"@1767225600", "seconds since 1970"},
};

// One example per line.
std::string examples_of(const Flag& flag) {
  if (flag.arg != Arg::time) return "";
  constexpr std::size_t kColumns = 22;
  std::string text;
  for (const auto& [argument, meaning] : kTimeExamples) {
    text += "\n  --" + std::string(flag.name) + ' ' + std::string(argument);
    text += std::string(kColumns - argument.size(), ' ') + std::string(meaning);
  }
  return text;
}

}  // namespace

void refuse(const Flag& flag, std::string_view argument) {
  const std::string wanted = flag.takes.empty() ? arguments_of(flag) : std::string(flag.takes);
  const std::string examples = examples_of(flag);
  throw UsageError("option '--" + std::string(flag.name) + "' takes " + wanted + ", not '" +
                       escaped(argument) + "'" + (examples.empty() ? "" : "; examples:"),
                   examples);
}

std::size_t parse_number(const Flag& flag, std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool valid = error == std::errc() && stop == end;
  if (!valid || number < flag.range.smallest || number > flag.range.largest) refuse(flag, text);
  return number;
}

std::uint64_t parse_size(const Flag& flag, std::string_view text) {
  if (const auto bytes = base::parse_bytes(text)) return *bytes;
  refuse(flag, text);
}

base::Moment parse_moment(const Flag& flag, std::string_view text) {
  if (const auto moment = base::parse_moment(text)) return *moment;
  refuse(flag, text);
}

std::string parse_file(const Flag& flag, std::string_view text) {
  if (text.empty() || (text == "-" && flag.arg != Arg::stream)) refuse(flag, text);
  return std::string(text);
}

}  // namespace fathom::cli

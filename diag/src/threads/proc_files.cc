// ProcFiles: words, lines and numbers.

#include "threads/proc_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace fathom::diag {

namespace {

using std::chrono::nanoseconds;

// Removes the next line from the text and returns it.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> read_number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return {};
  return value;
}

void read_schedstat(std::string_view text, ThreadUsage& usage) {
  const auto ran = read_number(next_word(text));
  const auto waited = read_number(next_word(text));
  if (!ran || !waited) return;
  usage.processor = nanoseconds(*ran);
  usage.run_delay = nanoseconds(*waited);
}

void read_stat(std::string_view text, long ticks, ThreadUsage& usage) {
  // The name, in parentheses, may contain anything: fields are counted from its end.
  const std::size_t name_begin = text.find('(');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_begin > name_end || ticks <= 0) return;
  usage.name = text.substr(name_begin + 1, name_end - name_begin - 1);
  text.remove_prefix(name_end + 1);
  const std::string_view state = next_word(text);
  usage.ended = state == "Z" || state == "X";
  std::array<std::optional<std::uint64_t>, 39> fields;  // beginning with the fourth
  for (auto& field : fields) field = read_number(next_word(text));
  usage.minor_faults = fields[6];
  usage.major_faults = fields[8];
  const auto time = [ticks](std::optional<std::uint64_t> count) -> std::optional<nanoseconds> {
    if (!count) return {};
    return nanoseconds(static_cast<std::int64_t>(*count) * (1'000'000'000 / ticks));
  };
  usage.user = time(fields[10]);
  usage.system = time(fields[11]);
  usage.started = time(fields[18]);
  usage.disk_wait = time(fields[38]);
  if (usage.user && usage.system) usage.processor = *usage.user + *usage.system;
}

void read_status(std::string_view text, ThreadUsage& usage) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    const auto is = [key](std::string_view other) { return key == other; };
    if (is("voluntary_ctxt_switches:")) usage.voluntary_switches = read_number(next_word(line));
    if (is("nonvoluntary_ctxt_switches:")) {
      usage.involuntary_switches = read_number(next_word(line));
    }
  }
}

void read_sched(std::string_view text, ThreadUsage& usage) {
  // The name of the thread, on the first line, is too short to look like one of these lines.
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    if (next_word(line) != ":") continue;
    const auto value = read_number(next_word(line));
    if (key == "nr_voluntary_switches") usage.voluntary_switches = value;
    if (key == "nr_involuntary_switches") usage.involuntary_switches = value;
    if (key == "se.nr_migrations") usage.migrations = value;
  }
}

}  // namespace fathom::diag

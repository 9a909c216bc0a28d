// ParsedTrace: a line-based parser for the output of TraceJson.

#include "parsed_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace fathom::diag {

namespace {

// The text after the key, up to the next comma or bracket; without quotation marks.
std::string value_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find('"' + key + "\":");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 3;
  if (line[begin] == '"') {
    return line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
  }
  return line.substr(begin, line.find_first_of(",}", begin) - begin);
}

std::uint64_t number_of(const std::string& line, const std::string& key) {
  return std::strtoull(value_of(line, key).c_str(), nullptr, 10);
}

// Converts microseconds with at most three decimals.
std::uint64_t nanoseconds_of(const std::string& line, const std::string& key) {
  std::string text = value_of(line, key);
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  if (point != std::string::npos) text.erase(point, 1);
  text.append(3 - decimals, '0');
  return std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace

ParsedTrace::ParsedTrace(const std::string& json) {
  std::istringstream lines(json);
  std::string line;
  bool begun = false;
  while (std::getline(lines, line)) {
    if (line == R"({"displayTimeUnit":"ns","traceEvents":[)") begun = true;
    if (line.starts_with("],\"otherData\"")) {
      whole = begun && line.ends_with("}}") && json.ends_with("}}\n");
      told_events = number_of(line, "events");
      told_lost = number_of(line, "lost");
      told_switches = value_of(line, "context_switches");
    }
    const std::string phase = value_of(line, "ph");
    if (phase.empty()) continue;
    ParsedEvent event;
    event.phase = phase.front();
    event.track = static_cast<std::uint32_t>(number_of(line, "tid"));
    event.name = value_of(line, "name");
    if (event.name == "thread_name") tracks[event.track] = value_of(line, "args\":{\"name");
    if (event.phase == 'M') continue;
    event.begin = nanoseconds_of(line, "ts");
    if (event.phase == 'X') event.duration = nanoseconds_of(line, "dur");
    event.number = number_of(line, event.phase == 'C' ? "value" : "count");
    event.category = value_of(line, "cat");
    events.push_back(event);
  }
}

std::vector<ParsedEvent> ParsedTrace::named(const std::string& name) const {
  std::vector<ParsedEvent> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const ParsedEvent& event) { return event.name == name; });
  return found;
}

std::vector<ParsedEvent> ParsedTrace::named(const std::string& name, std::uint32_t track) const {
  std::vector<ParsedEvent> found = named(name);
  std::erase_if(found, [&](const ParsedEvent& event) { return event.track != track; });
  return found;
}

std::uint32_t ParsedTrace::track_named(const std::string& name) const {
  for (const auto& [track, found] : tracks) {
    if (found == name) return track;
  }
  return 0;
}

std::uint64_t ParsedTrace::lost(std::uint32_t track) const {
  std::uint64_t lost = 0;
  for (const ParsedEvent& event : named("events lost", track)) lost += event.number;
  return lost;
}

bool ParsedTrace::nests() const {
  std::map<std::uint32_t, std::vector<ParsedEvent>> spans;
  for (const ParsedEvent& event : events) {
    if (event.phase == 'X') spans[event.track].push_back(event);
  }
  for (auto& [track, of_track] : spans) {
    // Outer spans before inner ones.
    std::stable_sort(of_track.begin(), of_track.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
    });
    std::vector<std::uint64_t> open;
    for (const ParsedEvent& span : of_track) {
      while (!open.empty() && open.back() <= span.begin) open.pop_back();
      if (!open.empty() && span.end() > open.back()) return false;
      open.push_back(span.end());
    }
  }
  return true;
}

}  // namespace fathom::diag

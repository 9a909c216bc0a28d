// ParsedTrace: the contents of a trace, for tests. cli/test/test_trace.py reads traces with a JSON
// parser; this class only recognizes what TraceJson writes, one line per event.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fathom::diag {

struct ParsedEvent {
  char phase = '?';
  std::uint32_t track = 0;
  std::string name;
  std::uint64_t begin = 0;  // nanoseconds
  std::uint64_t duration = 0;
  std::uint64_t number = 0;  // count, value or the like
  std::string category;

  [[nodiscard]] std::uint64_t end() const { return begin + duration; }
};

struct ParsedTrace {
  explicit ParsedTrace(const std::string& json);

  std::vector<ParsedEvent> events;              // in the order of the file, without metadata
  std::map<std::uint32_t, std::string> tracks;  // names by number
  bool whole = false;                           // it has its beginning and its end
  std::uint64_t told_events = 0;
  std::uint64_t told_lost = 0;
  std::string told_switches;  // empty: nothing

  [[nodiscard]] std::vector<ParsedEvent> named(const std::string& name) const;
  // The events of one track with this name.
  [[nodiscard]] std::vector<ParsedEvent> named(const std::string& name, std::uint32_t track) const;
  [[nodiscard]] std::uint32_t track_named(const std::string& name) const;  // 0 if none
  // The number of lost events that the instants of a track report.
  [[nodiscard]] std::uint64_t lost(std::uint32_t track) const;
  // False if two spans of a track overlap without being nested.
  [[nodiscard]] bool nests() const;
};

}  // namespace fathom::diag

// TraceJson: writes events in Chrome's trace format, which Perfetto reads as well.
//
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU ("Trace Event
// Format"): complete events (X) with their duration, instants (i), counters (C), flows (s, f) and
// metadata (M), in microseconds with three decimals. The number of a track is written as the thread
// id, because the system reuses ids; the system's id is appended to the name.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fathom::diag {

class TraceJson {
 public:
  struct Moment {
    std::uint64_t nanoseconds;
  };

  // Each function appends to text(), which the caller may empty.
  void begin(long process, std::string_view program);
  void thread(std::uint32_t track, std::string_view name, long system_id);
  void span(std::uint32_t track, const char* name, Moment begin, Moment end);
  void span(std::uint32_t track, const char* name, Moment begin, Moment end, std::uint32_t count);
  void instant(std::uint32_t track, const char* name, Moment at);
  void instant(std::uint32_t track, const char* name, Moment at, std::uint64_t count);
  void counter(const char* name, Moment at, std::uint64_t value);
  // An arrow from the current span of one thread to the next span of another.
  void arrow(std::uint32_t from, std::uint32_t to, const char* name, Moment at);
  void end(std::uint64_t events, std::uint64_t lost);

  [[nodiscard]] std::string& text() noexcept { return text_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void open(char phase, std::uint32_t track, const char* name);
  void add(std::string_view key, std::uint64_t value);
  void add(std::string_view key, Moment value);
  void arguments(std::string_view key, std::uint64_t value);
  void close() { text_ += '}'; }
  const std::string& quoted(const char* name);

  std::string text_;
  std::string process_;  // the part that all events share
  std::uint64_t arrows_ = 0;
  std::unordered_map<const char*, std::string> quoted_;  // names used so far, quoted
};

// The text as a JSON string with quotation marks; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace fathom::diag

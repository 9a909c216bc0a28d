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

  // The states of the thread of track n are track n + kStates.
  static constexpr std::uint32_t kStates = std::uint32_t{1} << 30U;

  // Each function appends to text(), which the caller may empty.
  void begin(long process, std::string_view program);
  // Names another process; select() chooses to which one the following events belong.
  void process(long process, std::string_view program);
  void select(long process) { process_ = std::to_string(process); }
  void thread(std::uint32_t track, std::string_view name, long system_id);
  // The track of a thread's states, which is shown below that of the thread.
  void states(std::uint32_t track, std::string_view name, long system_id);
  void state(std::uint32_t track, const char* name, Moment begin, Moment end);
  void run(std::uint32_t track, Moment begin, Moment end, std::uint32_t processor);
  void span(std::uint32_t track, const char* name, Moment begin, Moment end);
  void span(std::uint32_t track, const char* name, Moment begin, Moment end, std::uint32_t count,
            std::string_view key = "count");
  void instant(std::uint32_t track, const char* name, Moment at);
  void instant(std::uint32_t track, const char* name, Moment at, std::uint64_t count);
  // An instant of the category "log".
  void log(std::uint32_t track, std::string_view text, Moment at);
  void counter(const char* name, Moment at, std::uint64_t value);
  // An arrow from the current span of one thread to the next span of another.
  void arrow(std::uint32_t from, std::uint32_t to, const char* name, Moment at);
  // `switches`: what is known about context switches; empty: not requested.
  void end(std::uint64_t events, std::uint64_t lost, std::string_view switches = {});

  [[nodiscard]] std::string& text() noexcept { return text_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void name_process(std::string_view program);
  void add_track(std::uint32_t number, std::string_view name, long system_id, std::uint32_t order);
  void open(char phase, std::uint32_t track, std::string_view quoted_name);
  void add(std::string_view key, std::uint64_t value);
  void add(std::string_view key, Moment value);
  void arguments(std::string_view key, std::uint64_t value);
  void close() { text_ += '}'; }
  const std::string& quoted(const char* name);

  std::string text_;
  std::string process_;  // to which events belong
  std::uint64_t arrows_ = 0;
  std::unordered_map<const char*, std::string> quoted_;  // names used so far, quoted
};

// The text as a JSON string with quotation marks; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace fathom::diag

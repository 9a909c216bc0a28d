// Timeline: what all threads of the program do, as a trace that Perfetto and chrome://tracing open.
//
// While one lives, spans, instants and counters (span.h) of every thread are recorded, those of
// threads that come and go meanwhile, too. Each thread writes into a ring of its own; one thread of
// the timeline's empties the rings, now and then or when one is half full, and gives the trace to a
// sink in Chrome's JSON format. Every thread has a track, which has its name; spans of a track lie
// within each other or apart.
//
// Nothing is lost without being counted: what a full ring or the budget of bytes left out is told
// for each thread, in the trace and in the summary. The budget keeps what came first.
//
//   diag::Timeline timeline(diag::trace_file("trace.json"));
//   work();
//   const diag::Timeline::Summary summary = timeline.stop();
//
// A forked child has no timeline, whatever its parent had; the parent's goes on.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fathom::diag {

class Timeline {
 public:
  // Gets the trace part by part, on the timeline's thread. What it throws ends the trace, and
  // leaves stop().
  using Sink = std::function<void(std::string_view)>;

  // What a trace without any event may need.
  static constexpr std::uint64_t kLeastBytes = 1024;

  struct Options {
    // Of the trace altogether, kLeastBytes or more. Viewers of JSON take about 100 MB.
    std::uint64_t most_bytes = std::uint64_t{64} << 20U;
    // That a ring holds: 32 bytes each, of which only what is used takes memory.
    std::size_t ring_events = std::size_t{1} << 15U;
    // How long an event may wait for the sink.
    std::chrono::milliseconds interval{100};
    // Called about as often on the timeline's thread, and there a last time before the recording
    // ends: may record counters, as show_memory() of memory.h does. What it throws ends the trace,
    // as the sink's does.
    std::function<void()> figures = {};
  };

  struct Summary {
    std::uint64_t events = 0;  // in the trace
    std::uint64_t lost = 0;    // that are not
    std::uint64_t bytes = 0;   // that the sink got
  };

  // Starts. Throws std::logic_error if one runs already, std::bad_alloc, and base::Error if there
  // is no thread to be had, ring_events is 0, or most_bytes is below kLeastBytes.
  explicit Timeline(Sink sink);  // with default options
  Timeline(Sink sink, Options options);
  // Stops; a trace that could not be given whole is nobody's concern then.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Ends the trace: what happened before is in it, or counted. What other threads record at the
  // same time may be missing. Throws what the sink threw; the second time it does nothing but tell
  // the same summary. In a forked child there is nothing to stop.
  Summary stop();

 private:
  class Writer;

  static void end_recording() noexcept;

  std::unique_ptr<Writer> writer_;
  Summary summary_;
  long process_;  // that started it
};

// Writes to the file, which is made or emptied now. Throws base::SystemError, as do its calls.
[[nodiscard]] Timeline::Sink trace_file(const std::string& path);

}  // namespace fathom::diag

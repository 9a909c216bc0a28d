// Timeline: records what all threads of the program do, as a trace for Perfetto and
// chrome://tracing.
//
// While the object lives, spans, instants and counters (span.h) of every thread are recorded,
// including threads that start or end meanwhile. Each thread writes to its own ring; the timeline's
// thread empties the rings periodically, or when one is half full, and passes the trace to a sink
// in Chrome's JSON format. Every thread has a named track; the spans of a track are nested or
// disjoint.
//
// Every lost event is counted: the trace and the summary report how many events of each thread did
// not fit into its ring or into the byte budget. The budget keeps the earliest events.
//
//   diag::Timeline timeline(diag::trace_file("trace.json"));
//   work();
//   const diag::Timeline::Summary summary = timeline.stop();
//
// A forked child does not have a timeline; the parent's continues.

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
  // Receives the trace in parts, on the timeline's thread. An exception ends the trace and is
  // rethrown by stop().
  using Sink = std::function<void(std::string_view)>;

  // The maximum size of a trace without events.
  static constexpr std::uint64_t kLeastBytes = 1024;

  struct Options {
    // The maximum size of the trace, kLeastBytes or more. Viewers accept about 100 MB of JSON.
    std::uint64_t most_bytes = std::uint64_t{64} << 20U;
    // The capacity of a ring in events of 32 bytes; memory is only used for the events written.
    std::size_t ring_events = std::size_t{1} << 15U;
    // The maximum time before an event reaches the sink, 1 ms or more.
    std::chrono::milliseconds interval{100};
    // Called at about this interval on the timeline's thread, and a last time before the recording
    // ends: may record counters, as show_memory() of memory.h does. An exception ends the trace,
    // like one of the sink.
    std::function<void()> figures = {};
    // Whether to show the context switches of each thread that records events, from its first event
    // on, as the kernel records them: a second track, on which the thread `runs`, `waits`, or is
    // `preempted`, which means that it could run but has no processor. Each of these is an event.
    // Switches that the kernel drops because it has no room are counted as lost, except the last.
    // If the system refuses them to some or all threads (perf_event_open(2), or the memory for
    // their rings), the trace is made without these, and says why in its metadata.
    bool context_switches = false;
  };

  struct Summary {
    std::uint64_t events = 0;  // in the trace
    std::uint64_t lost = 0;    // not in the trace
    std::uint64_t bytes = 0;   // passed to the sink
  };

  // Starts recording. Throws std::logic_error if a timeline is running, std::bad_alloc, and
  // base::Error if no thread can be started, ring_events is 0, most_bytes is below kLeastBytes, or
  // the interval is below 1 ms.
  explicit Timeline(Sink sink);  // with default options
  Timeline(Sink sink, Options options);
  // Stops; an incomplete trace is not reported.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Ends the trace: what happened before is in it, or counted as lost. Concurrent events of other
  // threads may be missing. Throws what the sink threw; a second call only returns the same
  // summary. In a forked child it does nothing.
  Summary stop();

 private:
  class Writer;

  static void end_recording() noexcept;

  std::unique_ptr<Writer> writer_;
  Summary summary_;
  long process_;  // the process that started it
};

// Writes to the file, which is created or truncated immediately. Throws base::SystemError, as do
// the sink's calls.
[[nodiscard]] Timeline::Sink trace_file(const std::string& path);

}  // namespace fathom::diag

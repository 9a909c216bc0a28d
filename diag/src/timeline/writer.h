// Timeline::Writer: the thread that empties the rings of all threads and gives the trace to the
// sink.

#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/diag/timeline.h"
#include "timeline/clock_map.h"
#include "timeline/event.h"
#include "timeline/thread_log.h"
#include "timeline/trace_json.h"

namespace fathom::diag {

class Timeline::Writer {
 public:
  // Begins; nothing may be recorded yet. Throws base::Error without a thread.
  Writer(Sink sink, Options options, Recording::State state);

  // Asks for the figures a last time, ends the recording, reads what is left, and ends. Once.
  void end();
  // What the sink or the memory had against it.
  [[nodiscard]] std::exception_ptr error() const { return error_; }
  [[nodiscard]] Summary summary() const { return {events_, lost_, bytes_}; }

 private:
  // What is known of a thread.
  struct Track {
    bool shown = false;           // its name is in the trace: what it lost will be, too
    std::uint64_t left_out = 0;   // for the budget
    std::uint64_t lost = 0;       // that, and what the ring had no room for
    std::uint64_t told_lost = 0;  // by instants in the trace
  };

  void run();
  void turn(bool is_last);
  void tell_figures() noexcept;
  void read_all();
  void read(ThreadLog& log, std::size_t waiting);
  void forget(std::uint32_t track);
  void show(const ThreadLog& log, Track& track);
  void write(const ThreadLog& log, Track& track, const Event& event);
  void write(const ThreadLog& log, const Event& event);
  void tell_lost(const ThreadLog& log, Track& track);
  void finish();
  [[nodiscard]] bool fits() const noexcept;
  void hand_over();
  [[nodiscard]] TraceJson::Moment moment(Ticks ticks) const noexcept {
    return {clock_.nanoseconds(ticks)};
  }

  const Sink sink_;
  const Options options_;
  const Recording::State state_;
  // [T2] release: what is recorded before the end is visible to the last reading.
  base::atomic<bool> ending_{false};

  // The thread's alone; after end() everybody's.
  ClockMap clock_;
  TraceJson json_;
  std::map<std::uint32_t, Track> tracks_;  // that may still have something to say
  std::size_t reserves_ = 0;               // those of them that are shown
  std::uint64_t events_ = 0;
  std::uint64_t lost_ = 0;   // of tracks that are forgotten; in the end of all
  std::uint64_t bytes_ = 0;  // that the sink got
  bool full_ = false;        // the budget is spent
  std::exception_ptr error_;

  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace fathom::diag

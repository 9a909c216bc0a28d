// Timeline::Writer: the thread that empties the rings of all threads and passes the trace to the
// sink.

#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/diag/timeline.h"
#include "timeline/clock_map.h"
#include "timeline/event.h"
#include "timeline/switch_states.h"
#include "timeline/thread_log.h"
#include "timeline/trace_json.h"

namespace fathom::diag {

class Timeline::Writer {
 public:
  // Starts the thread; nothing may be recorded before. Throws base::Error if no thread can be
  // started.
  Writer(Sink sink, Options options, Recording::State state);

  // Calls `figures` a last time, ends the recording, reads what is left, and stops. Call once.
  void end();
  // The exception of the sink or of an allocation, or null.
  [[nodiscard]] std::exception_ptr error() const { return error_; }
  [[nodiscard]] Summary summary() const { return {events_, lost_, bytes_}; }

 private:
  // The state of a thread.
  struct Track {
    std::optional<SwitchStates> states = {};  // what it did since its last context switch
    bool shown = false;                       // its name is in the trace; its losses will be too
    std::uint64_t left_out = 0;               // because of the budget, or by the kernel
    std::uint64_t lost = 0;                   // left_out, and events that did not fit into the ring
    std::uint64_t told_lost = 0;              // reported by instants in the trace
  };

  void run();
  void turn(bool is_last);
  void tell_figures() noexcept;
  void read_all(bool is_last);
  void read(ThreadLog& log, Track& track, std::size_t waiting);
  void forget(std::uint32_t track);
  void show(const ThreadLog& log, Track& track);
  void read_switches(const ThreadLog& log, Track& track);
  void end_states(const ThreadLog& log, Track& track);
  void write(const ThreadLog& log, Track& track, const Event& event, std::string_view text);
  void write(const ThreadLog& log, const Event& event, std::string_view text);
  void write(const ThreadLog& log, Track& track, const SwitchState& state);
  template <class Append>
  void put(Track& track, Append append);
  void tell_lost(const ThreadLog& log, Track& track);
  void finish();
  [[nodiscard]] std::string told_switches() const;
  [[nodiscard]] bool fits() const noexcept;
  void hand_over();
  [[nodiscard]] TraceJson::Moment moment(Ticks ticks) const noexcept {
    return {clock_.nanoseconds(ticks)};
  }

  const Sink sink_;
  const Options options_;
  const Recording::State state_;
  // [T2] release: events recorded before the end are visible to the last read.
  base::atomic<bool> ending_{false};

  // Used only by the thread; after end() by any thread.
  ClockMap clock_;
  TraceJson json_;
  std::map<std::uint32_t, Track> tracks_;  // tracks that may still have something to report
  std::size_t reserves_ = 0;               // the number of shown tracks
  std::uint64_t events_ = 0;
  std::uint64_t lost_ = 0;   // of forgotten tracks; at the end of all
  std::uint64_t bytes_ = 0;  // passed to the sink
  bool full_ = false;        // the budget is exhausted
  std::exception_ptr error_;

  std::thread thread_;  // last, because it uses all members above
};

}  // namespace fathom::diag

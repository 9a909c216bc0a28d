// Recorder: combines what /proc and the scheduler's records say about the threads of processes.
//
// It does nothing by itself: its owner chooses the processes to follow, passes the records, and
// decides when to sample. Times are since the beginning of the recording.
//
// The figures of a thread are those of its last sample plus what records later than that add. So a
// record that is lost is missing only until the next sample.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fathom/diag/thread_recording.h"
#include "threads/proc_folder.h"
#include "threads/switch_record.h"

namespace fathom::diag {

class Recorder {
 public:
  using Time = std::chrono::nanoseconds;

  struct Options {
    std::string proc = "/proc";
    bool children = true;
    bool has_records = false;  // apply() will be called
    bool keep_samples = false;
    bool keep_spans = false;
    // The process ran before: figures from before the first sample do not count.
    bool attached = false;
    // Called before the files of a thread are read, because with many threads a sample takes long;
    // if empty, the time of the sample counts.
    std::function<Time()> clock;
    Time boot{0};                        // from the start of the system to that of the recording
    std::size_t most_samples = 200'000;  // of all threads together
    std::size_t most_spans = 500'000;
  };

  explicit Recorder(Options options);

  // Samples this process, and all that its threads create, from now on.
  void follow(long process) { roots_.insert(process); }
  // Its main thread has ended and its parent has not waited for it: reads its final figures.
  void sample_last(long process, Time now);
  // Does not wait for the process any more.
  void unfollow(long process) { roots_.erase(process); }

  // In the order of time; `begin` is the time of the recording's beginning on the same clock.
  void apply(const SwitchRecord& record, std::uint64_t begin);
  // Reads all threads. Records up to `now` must have been applied.
  void sample(Time now);

  // Whether the last sample found a thread that had not ended.
  [[nodiscard]] bool any_running() const { return any_running_; }

  // `reaped`: what wait4() said about the processes that have ended; without it, the total is that
  // of /proc. Call it once, after a last sample.
  [[nodiscard]] ThreadRecording finish(Time now, const std::optional<ThreadFigures>& reaped);

 private:
  // What records say about a thread since its last sample.
  struct Since {
    Time processor{0};
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
    std::uint64_t migrations = 0;
  };
  struct Life {
    RecordedThread thread;
    ThreadFigures read;       // the last sample's
    ThreadFigures base;       // from before the recording
    Time read_at{-1};         // when that was; records up to then are part of it
    std::uint64_t round = 0;  // the last in which it was seen
    bool recorded = false;    // records of it are applied
    bool exact = false;       // a record has told its beginning
    Since since;
    bool runs = false;
    Time runs_since{0};
    std::optional<Time> preempted_at;
    std::optional<unsigned> cpu;  // where it ran last
  };
  // A process as a whole, to learn what its ended threads used.
  struct Process {
    ThreadFigures base;
    ThreadFigures read;
  };

  [[nodiscard]] Life* find(long thread);
  [[nodiscard]] bool is_of(const Life& life, const ThreadUsage& usage) const;
  Life& begin(long process, long thread, Time at);
  void end(Life& life, Time at);
  Life* life_of(long process, const ThreadUsage& usage, Time now);
  void observe(long process, long thread, Time now);
  void observe_process(long process);
  void end_those_not_seen();
  void keep_samples(Time now);
  void keep_sample(Life& life, Time now);
  void thin();

  void thread_begins(const SwitchRecord& record, Time at);
  void thread_is_named(const SwitchRecord& record, Time at);
  void runs(Life& life, const SwitchRecord& record, Time at);
  void pauses(Life& life, const SwitchRecord& record, Time at);
  void forget_states(unsigned cpu);
  void add_span(Life& life, const ThreadSpan& span);
  [[nodiscard]] static ThreadFigures figures(const Life& life, Time now);
  void add_totals(ThreadRecording& recording, const std::optional<ThreadFigures>& reaped) const;

  const Options options_;
  const ProcFolder proc_;
  ThreadRecording recording_;
  std::set<long> roots_;
  bool any_running_ = false;
  std::map<long, Process> wholes_;  // only of attached ones
  std::vector<Life> lives_;
  // Indices of lives, by thread id: of all threads, the last one with that id, and of those alive.
  std::map<long, std::size_t> latest_;
  std::map<long, std::size_t> alive_;
  std::size_t samples_ = 0;       // kept
  std::size_t spans_ = 0;         // kept
  std::uint64_t keep_every_ = 1;  // rounds; doubled by thin()
};

}  // namespace fathom::diag

// ThreadRecording: what the threads of one or more processes did, over time.
//
// record_threads.h makes recordings. Times are since the beginning of the recording.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/diag/thread_usage.h"
#include "fathom/diag/timeline.h"

namespace fathom::diag {

// The figures of a thread at a moment, since its beginning.
struct ThreadSample {
  std::chrono::nanoseconds at{0};
  ThreadFigures figures;
};

// A time during which a thread ran on one CPU, or was ready to run after it had been preempted.
struct ThreadSpan {
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  unsigned cpu = 0;
  bool runs = true;
};

// The last known figures of a thread, without those from before the recording.
struct RecordedThread : ThreadUsage {
  long process = 0;                   // the system's id of its process
  std::chrono::nanoseconds began{0};  // 0 if it existed before
  std::chrono::nanoseconds until{0};  // its end or, if that is unknown, when it was last seen
  // Those samples that differ from the one before. Empty unless requested.
  std::vector<ThreadSample> samples;
  std::vector<ThreadSpan> spans;  // empty unless requested and known

  // The time in which it neither ran nor, as far as is known, could have run: it waited for a lock,
  // a disk, a message or a time.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> asleep() const;
  // Those of the last sample up to that time. Requires samples.
  [[nodiscard]] ThreadFigures figures_at(std::chrono::nanoseconds time) const;
};

// The name without the number at its end: names of a pool's threads differ only in that. The name
// itself if nothing else is in it.
[[nodiscard]] std::string_view family_of(std::string_view name);

struct ThreadRecording {
  std::chrono::nanoseconds elapsed{0};
  std::vector<RecordedThread> threads;  // in the order of their beginnings, then by id
  // When samples were taken; if there are too many, some are dropped, evenly. Empty unless
  // requested.
  std::vector<std::chrono::nanoseconds> times;
  std::uint64_t rounds = 0;  // how often all threads were sampled

  // All threads, also those that were not seen. Exact for a command, apart from processes that
  // still run and processes whose parents ignore the signal SIGCHLD. Run delay, migrations and the
  // wait for disks are sums over the threads above.
  ThreadFigures total;
  // The total minus the threads above: threads that were not seen, and what the others did after
  // their last samples. Also differences due to the steps of 10 ms.
  ThreadFigures unseen;

  // Whether the scheduler's records of each switch were read. Otherwise, figures come from samples
  // alone, and why_no_records is one phrase without a full stop.
  bool has_records = false;
  std::string why_no_records;
  std::uint64_t lost_records = 0;
  bool records_ended = false;     // early, because a program with other privileges was executed
  std::uint64_t lost_spans = 0;   // not kept, because there were too many
  std::size_t still_running = 0;  // processes that ran when the recording ended
  bool lists_children = true;     // false: the kernel does not, so only one process was followed
};

// Writes a trace for Perfetto and chrome://tracing: a track for each thread with its spans, and
// counters for each family of threads. Returns what was written, and how much did not fit into
// `most_bytes`, which must be at least Timeline::kLeastBytes. `process` is the one to which the
// counters belong. Throws what the sink throws.
Timeline::Summary write_trace(const ThreadRecording& recording, long process,
                              const Timeline::Sink& sink,
                              std::uint64_t most_bytes = Timeline::Options().most_bytes);

}  // namespace fathom::diag

// record_threads: records what the threads of another program do: their CPU time, context switches,
// waits and migrations, by name and over time.
//
// All figures of all threads are read from /proc periodically. Where the kernel allows it
// (perf_event_open, kernel.perf_event_paranoid up to 2), it also records each context switch and
// the beginning, name and end of each thread: then the CPU time, switches and migrations of threads
// are complete, however short they live. Otherwise, what a thread does after its last sample, and
// what a thread does that no sample has seen, is only part of the total of the recording. The total
// comes from wait4().
//
//   const diag::CommandRecording ran = diag::record_command({"make", "-j4"});
//   for (const diag::RecordedThread& thread : ran.threads.threads) print(thread.name, ...);
//
// Only Linux. None of it needs root.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/diag/thread_recording.h"

namespace fathom::diag {

// Where figures come from besides /proc.
enum class SwitchSource : std::uint8_t {
  automatic,  // the scheduler's records, if the kernel allows it
  records,    // the scheduler's records, or an error
  none,
};

struct RecordOptions {
  // The time between two samples, at least 1 ms. It is extended if sampling takes more than 5% of
  // it.
  std::chrono::milliseconds interval{100};
  bool children = true;  // also record processes that the program starts
  SwitchSource source = SwitchSource::automatic;
  bool keep_samples = false;  // RecordedThread::samples
  bool keep_spans = false;    // RecordedThread::spans
};

struct CommandRecording {
  ThreadRecording threads;
  long process = 0;  // the command's
  int code = 0;      // its exit code, if no signal ended it
  int signal = 0;    // the signal that ended it, or 0
};

// Runs the program, whose path is looked up in PATH unless it contains a slash, and records it
// until it ends. The program has the standard streams and the signal mask of the caller.
//
// Meanwhile this process adopts orphans of the program (PR_SET_CHILD_SUBREAPER), so that they can
// be followed, too; and the calling thread receives SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and
// SIGUSR2, except those that are ignored, and passes them to the program, unless the terminal has
// sent them to both. Other threads must block these signals and SIGCHLD.
//
// Throws base::SystemError if the program cannot be run, and base::Error if the interval is too
// short, or the options require records and the kernel refuses them; the program has not been run
// then.
[[nodiscard]] CommandRecording record_command(const std::vector<std::string>& command,
                                              const RecordOptions& options = {});

// Records a running process, from samples alone, until it ends, the time is over, or the calling
// thread receives one of the signals above. The total lacks the switches of threads that were not
// seen. Throws base::SystemError if there is no such process, and base::Error if the interval is
// too short or the options require records.
[[nodiscard]] ThreadRecording record_process(
    long process, const RecordOptions& options = {},
    std::optional<std::chrono::nanoseconds> longest = std::nullopt);

// The same for a time of any unit: one that is too long for nanoseconds, 292 years, has no end.
template <class Rep, class Period>
[[nodiscard]] ThreadRecording record_process(long process, const RecordOptions& options,
                                             std::chrono::duration<Rep, Period> longest) {
  return record_process(process, options,
                        std::optional(base::deadline_after(std::chrono::nanoseconds(0), longest)));
}

}  // namespace fathom::diag

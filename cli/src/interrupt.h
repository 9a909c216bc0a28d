// Interrupt: Ctrl-C, and being told to terminate.
//
// While one lives, the first SIGINT, SIGTERM or SIGHUP only cancels its token, so that the scan
// ends and what it found is printed. The next one ends the process at once, with exit code 130,
// unless it comes within half a second of the first: then it is that one's echo, such as timeout(1)
// sends. What was ignored from the start (nohup) stays ignored. A file that may not grow is
// reported by write(), not by a signal.

#pragma once

#include <signal.h>

#include <cstdint>
#include <string>

#include "fathom/base/atomic.h"
#include "fathom/rt/cancel.h"

namespace fathom::cli {

class Interrupt {
 public:
  // At most one at a time: signals belong to the process. Other threads must have them blocked, as
  // those of rt and fs have.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Cancelled by the handler: callbacks and linked sources wait for an expire().
  [[nodiscard]] rt::CancelToken token() const { return source_.token(); }

  // From now on the first signal, too, ends the process: there is nothing left to gain by waiting.
  // The echo of one that has ended the scan still does not.
  void end_at_once() { at_once_.store(true, base::memory_order_relaxed); }

 private:
  static void handle(int);
  bool is_the_end();

  static base::atomic<Interrupt*> living_;  // valid while the handler is installed

  // All that the handler touches, on this thread and one signal at a time.
  rt::CancelSource source_;
  base::atomic<bool> at_once_{false};
  base::atomic<std::int64_t> echo_end_{0};  // on the monotonic clock; set by the first signal
};

// A file that is removed when the process ends by a signal. One at a time, and only for a
// file that is there and one's own: else a signal would remove somebody else's.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

// From now on a closed pipe is reported by write() alone, not by a signal. To be called once,
// first.
void ignore_closed_pipes();

// While one lives, a closed pipe does what it did before ignore_closed_pipes(): another program
// that this process becomes expects that.
class ClosedPipesAsBefore {
 public:
  ClosedPipesAsBefore();
  ~ClosedPipesAsBefore();
  ClosedPipesAsBefore(const ClosedPipesAsBefore&) = delete;
  ClosedPipesAsBefore& operator=(const ClosedPipesAsBefore&) = delete;
};

}  // namespace fathom::cli

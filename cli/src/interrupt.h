// Interrupt: handles SIGINT (Ctrl-C), SIGTERM and SIGHUP.
//
// While an object exists, the first of these signals only cancels its token, so that the scan ends
// and its results are printed. The next signal ends the process immediately with exit code 130,
// unless it arrives within half a second of the first: then it is a duplicate, as timeout(1) sends.
// Signals that were ignored at program start (nohup) stay ignored. SIGXFSZ is ignored, so that
// write() reports the error.

#pragma once

#include <signal.h>

#include <cstdint>
#include <string>

#include "fathom/base/atomic.h"
#include "fathom/rt/cancel.h"

namespace fathom::cli {

class Interrupt {
 public:
  // At most one object at a time, because signals belong to the process. Other threads must block
  // the signals; those of rt and fs do.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Cancelled from the signal handler: callbacks and linked sources run only at the next expire().
  [[nodiscard]] rt::CancelToken token() const { return source_.token(); }

  // From now on the first signal also ends the process, because nothing is left to save. The
  // duplicate of a signal that has ended the scan still does not.
  void end_at_once() { at_once_.store(true, base::memory_order_relaxed); }

 private:
  static void handle(int);
  bool is_the_end();

  static base::atomic<Interrupt*> living_;  // valid while the handler is installed

  // The state that the handler uses, on this thread and for one signal at a time.
  rt::CancelSource source_;
  base::atomic<bool> at_once_{false};
  base::atomic<std::int64_t> echo_end_{0};  // on the monotonic clock; set by the first signal
};

// Removes a file when a signal ends the process. At most one object at a time. The file must exist
// and belong to this process; otherwise a signal could remove a file of another one.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

// Ignores SIGPIPE, so that only write() reports a closed pipe. Call it once, at program start.
void ignore_closed_pipes();

// While an object exists, SIGPIPE has the disposition that it had before ignore_closed_pipes(),
// which a program that replaces this process inherits.
class ClosedPipesAsBefore {
 public:
  ClosedPipesAsBefore();
  ~ClosedPipesAsBefore();
  ClosedPipesAsBefore(const ClosedPipesAsBefore&) = delete;
  ClosedPipesAsBefore& operator=(const ClosedPipesAsBefore&) = delete;
};

}  // namespace fathom::cli

// Interrupt: Ctrl-C, and being told to terminate.
//
// While one lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that the scan ends and
// what it found is printed. The next one ends the process at once, with exit code 130, unless it
// comes within half a second of the first: then it is that one's echo, such as timeout(1) sends.
// What was ignored from the start (nohup) stays ignored. A file that may not grow is reported by
// write(), not by a signal.

#pragma once

#include <signal.h>

#include <string>

#include "fathom/base/atomic.h"

namespace fathom::cli {

class Interrupt {
 public:
  // At most one at a time: signals belong to the process.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Set by the handler, on whatever thread. It publishes nothing: relaxed is enough.
  [[nodiscard]] static const base::atomic<bool>& requested();

  // From now on the first signal, too, ends the process: there is nothing left to gain by waiting.
  // The echo of one that has ended the scan still does not.
  static void end_at_once();
};

// While one lives, this thread is not interrupted; what comes meanwhile is delivered afterwards.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
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

// Interrupt: Ctrl-C, and being told to terminate.
//
// While one lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that the scan ends and
// what it found is printed. The next one ends the process at once, with exit code 130. What was
// ignored from the start (nohup) stays ignored. A closed pipe and a file that may not grow are
// reported by write(), not by a signal.

#pragma once

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

  // From now on the first signal ends the process: there is nothing left to gain by waiting.
  static void end_at_once();
};

// A file that is removed when the process ends by a signal. One at a time.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

}  // namespace fathom::cli

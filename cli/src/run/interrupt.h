// Interrupt: handles SIGINT (Ctrl-C), SIGTERM and SIGHUP.
//
// While an object exists, each of these signals ends the process immediately with exit code 130,
// even while it waits for the other end of a pipe to be opened: nothing has been done yet, or
// nothing is left to save. Only between defer() and end_at_once() does the first signal merely
// cancel the token, so that the scan ends and its results are printed. The next signal ends the
// process, unless it arrives within half a second of the first: then it is a duplicate, as
// timeout(1) sends.
//
// Signals that were ignored at program start (nohup) stay ignored. SIGXFSZ is ignored, so that
// write() reports the error.

#pragma once

#include <poll.h>
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

  // Call it when the work begins that checks the token. From now on the first signal only cancels.
  void defer() { at_once_.store(false, base::memory_order_relaxed); }

  // The first signal, or one of the others that came after SIGINT; 0: none has come.
  [[nodiscard]] int signal() const { return signal_.load(base::memory_order_relaxed); }

  // After defer(), when what SIGINT was to end has ended: the token is another one, and the next
  // signal is the first again. Does nothing after one of the others.
  void forget_sigint();

  // After defer(): waits until the descriptor can be read, or is closed. Returns false once a
  // signal has come, even before the call.
  [[nodiscard]] bool wait_to_read(int descriptor) const {
    return wait_until(descriptor, POLLIN) && signal() == 0;
  }

  // After defer(): waits until a pipe takes PIPE_BUF bytes, and a terminal some, or an error tells
  // why not. Returns false if that is not so when a signal has come, even before the call.
  [[nodiscard]] bool wait_to_write(int descriptor) const { return wait_until(descriptor, POLLOUT); }

  // Call it when nothing checks the token any more. From now on the first signal also ends the
  // process. The duplicate of a signal that has ended the scan still does not.
  void end_at_once() { at_once_.store(true, base::memory_order_relaxed); }

 private:
  friend class EndsAtOnce;

  static void handle(int number);
  bool is_the_end(int number);
  // False: a signal has come before that.
  [[nodiscard]] bool wait_until(int descriptor, short events) const;

  static base::atomic<Interrupt*> living_;  // valid while the handler is installed

  // The state that the handler uses, on this thread and for one signal at a time.
  rt::CancelSource source_;
  base::atomic<int> signal_{0};  // the first one
  base::atomic<bool> at_once_{true};
  static base::atomic<bool> writing_;       // an EndsAtOnce exists
  base::atomic<std::int64_t> echo_end_{0};  // on the monotonic clock; set by the first signal
};

// While an object exists, the first signal ends the process also after defer(): for writes of
// output, which may wait for its reader. At most one object at a time, on the thread that gets the
// signals.
class EndsAtOnce {
 public:
  EndsAtOnce() noexcept { Interrupt::writing_.store(true, base::memory_order_relaxed); }
  ~EndsAtOnce() { Interrupt::writing_.store(false, base::memory_order_relaxed); }
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
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

// Whether the process ignores the signal, for example because nohup started it.
[[nodiscard]] bool is_ignored(int signal);

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

// HandBackRequest: SIGURG, which ends the budget of a shard before its time.
//
// It may arrive before this object exists, so it is a signal that ends no process by default.

class HandBackRequest {
 public:
  // At most one object, because signals belong to the process. Other threads must block SIGURG;
  // those of rt and fs do.
  HandBackRequest();
  ~HandBackRequest();
  HandBackRequest(const HandBackRequest&) = delete;
  HandBackRequest& operator=(const HandBackRequest&) = delete;

  // Cancelled from the signal handler, as that of Interrupt.
  [[nodiscard]] rt::CancelToken token() const { return source_.token(); }

 private:
  static void handle(int);

  static base::atomic<HandBackRequest*> living_;  // valid while the handler is installed

  rt::CancelSource source_;
};

// ProgressRequest: SIGUSR1, which requests a line of progress.
//
// Once an object has been created, the signal only sets a flag, even after the object is destroyed:
// a late signal must not end the program. If it was ignored at program start, it stays ignored.

class ProgressRequest {
 public:
  // At most one object at a time, because signals belong to the process. Other threads must block
  // SIGUSR1; those of rt and fs do.
  ProgressRequest();
  ProgressRequest(const ProgressRequest&) = delete;
  ProgressRequest& operator=(const ProgressRequest&) = delete;

  // Whether the signal has arrived since the last call.
  [[nodiscard]] bool take() { return asked_.exchange(false, base::memory_order_relaxed); }

 private:
  static void handle(int);

  static base::atomic<bool> asked_;  // the only state that the handler uses
};

}  // namespace fathom::cli

// ReceivedSignals: signals of this process, read from a descriptor while the object lives.

#pragma once

#include <pthread.h>

#include <csignal>
#include <optional>

#include "fathom/base/fd.h"

namespace fathom::diag {

class ReceivedSignals {
 public:
  struct Signal {
    int number = 0;
    bool from_kernel = false;  // not from another process; so Ctrl-C reaches all processes
  };

  // Blocks the signals in the calling thread. SIGCHLD gets its default meaning: if it is ignored,
  // as a parent may have left it, wait4() says nothing. Throws base::SystemError.
  ReceivedSignals();
  // Unblocks the signals that the constructor has blocked, and restores SIGCHLD. Of signals that
  // have not been read, the program receives the first of each.
  ~ReceivedSignals();
  ReceivedSignals(const ReceivedSignals&) = delete;
  ReceivedSignals& operator=(const ReceivedSignals&) = delete;

  // Readable when a signal has arrived.
  [[nodiscard]] int descriptor() const { return file_.get(); }
  // Nothing if none has arrived.
  [[nodiscard]] std::optional<Signal> next();
  // The mask of the thread from before.
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  void restore() const;

  sigset_t before_;
  sigset_t blocked_;               // by this object: not blocked before
  struct sigaction child_before_;  // of SIGCHLD
  base::Fd file_;
};

}  // namespace fathom::diag

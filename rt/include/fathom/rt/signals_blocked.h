// SignalsBlocked: while one lives, this thread and each thread that it starts take no signals, so
// that those reach the threads that the program meant them for.
//
// But for signals of faults, which a debugger or a sanitizer wants to report, and the profiler's.
// Belongs to the thread that made it; they end in the reverse order.
//
//   {
//     const SignalsBlocked blocked;
//     worker = std::thread(work);      // Ctrl-C will not interrupt it
//   }

#pragma once

#include <pthread.h>

#include <csignal>
#include <initializer_list>

namespace fathom::rt {

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
      sigdelset(&blocked, fault);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace fathom::rt

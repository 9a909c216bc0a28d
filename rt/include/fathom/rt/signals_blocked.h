// SignalsBlocked: blocks signals for this thread, and for each thread that it starts, while the
// object lives, so that signals reach the threads that the program intended them for.
//
// Excepted are synchronous faults, which a debugger or a sanitizer must see, and SIGPROF. An object
// belongs to its thread; destroy objects in reverse order.
//
//   {
//     const SignalsBlocked blocked;
//     worker = std::thread(work);      // not interrupted by Ctrl-C
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

// ProgressRequest: the handler of SIGUSR1.

#include "progress_request.h"

#include <signal.h>

namespace fathom::cli {

base::atomic<bool> ProgressRequest::asked_{false};
static_assert(base::atomic<bool>::is_always_lock_free, "a signal handler must not wait");

ProgressRequest::ProgressRequest() {
  asked_.store(false, base::memory_order_relaxed);
  struct sigaction before {};
  if (::sigaction(SIGUSR1, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handle;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // only the handler reacts to the signal
  ::sigaction(SIGUSR1, &action, nullptr);
}

void ProgressRequest::handle(int) {
  asked_.store(true, base::memory_order_relaxed);
}

}  // namespace fathom::cli

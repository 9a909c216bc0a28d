#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "exit_code.h"

namespace fathom::cli {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// All that the handler touches: lock-free atomics, and a buffer that is not written while armed.
base::atomic<bool> requested_{false};
base::atomic<bool> at_once_{false};
base::atomic<bool> armed_{false};
char doomed_path_[PATH_MAX];
static_assert(base::atomic<bool>::is_always_lock_free, "a signal handler must not wait");

void handle(int) {
  const int saved = errno;
  const bool again = requested_.exchange(true, base::memory_order_relaxed);
  if (again || at_once_.load(base::memory_order_relaxed)) {
    // Pairs with the release in RemovedOnSignal.
    if (armed_.load(base::memory_order_acquire)) ::unlink(doomed_path_);
    ::_exit(kInterrupted);
  }
  errno = saved;
}

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // no one but the handler need know
  for (const int number : kSignals) {
    if (!is_ignored(number)) ::sigaction(number, &action, nullptr);
  }
  // Both are reported by write() too, which can clean up.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

Interrupt::~Interrupt() {
  for (const int number : kSignals) {
    if (!is_ignored(number)) ::signal(number, SIG_DFL);
  }
}

const base::atomic<bool>& Interrupt::requested() {
  return requested_;
}

void Interrupt::end_at_once() {
  at_once_.store(true, base::memory_order_relaxed);
}

RemovedOnSignal::RemovedOnSignal(const std::string& path) {
  if (path.size() >= sizeof doomed_path_) return;  // open() has refused such a path
  std::memcpy(doomed_path_, path.c_str(), path.size() + 1);
  armed_.store(true, base::memory_order_release);  // pairs with the acquire in handle()
}

RemovedOnSignal::~RemovedOnSignal() {
  armed_.store(false, base::memory_order_relaxed);
}

}  // namespace fathom::cli

// Interrupt: the signal handler, and files that it removes. Only async-signal-safe calls are made
// in the handler.

#include "run/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "fathom/rt/signals_blocked.h"
#include "term/exit_code.h"

namespace fathom::cli {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// A signal that arrives sooner after the first one is a duplicate: timeout(1) signals the process
// and then its group.
constexpr std::int64_t kEcho = 500'000'000;  // ns

// Used by the handler. The buffer is not written while armed is set.
base::atomic<bool> armed{false};
char doomed_path[PATH_MAX];
static_assert(base::atomic<bool>::is_always_lock_free, "a signal handler must not wait");
static_assert(base::atomic<std::int64_t>::is_always_lock_free, "a signal handler must not wait");

bool pipe_was_ignored = false;  // at program start

// In nanoseconds. clock_gettime() is async-signal-safe; the clock of base does not promise that.
std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

sigset_t handled_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : kSignals) ::sigaddset(&set, number);
  return set;
}

}  // namespace

base::atomic<Interrupt*> Interrupt::living_{nullptr};
base::atomic<bool> Interrupt::writing_{false};
static_assert(base::atomic<Interrupt*>::is_always_lock_free, "a signal handler must not wait");

Interrupt::Interrupt() {
  living_.store(this, base::memory_order_release);  // pairs with the acquire in handle()
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_mask = handled_signals();
  action.sa_flags = SA_RESTART;  // only the handler reacts to the signal
  for (const int number : kSignals) {
    if (!is_ignored(number)) ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);  // write() also reports the error, and its caller can clean up
}

Interrupt::~Interrupt() {
  for (const int number : kSignals) {
    if (!is_ignored(number)) ::signal(number, SIG_DFL);
  }
}

void Interrupt::forget_sigint() {
  const rt::SignalsBlocked blocked;  // the handler uses both
  if (signal() != SIGINT) return;
  source_ = rt::CancelSource();
  signal_.store(0, base::memory_order_relaxed);
}

bool Interrupt::wait_until(int descriptor, short events) const {
  sigset_t as_before;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &as_before);
  const rt::SignalsBlocked blocked;  // none is missed between the look and the wait
  constexpr timespec kNotAtAll{};
  pollfd one{descriptor, events, 0};
  while (true) {
    const int ready = ::ppoll(&one, 1, signal() == 0 ? nullptr : &kNotAtAll, &as_before);
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

void Interrupt::handle(int number) {
  const int saved = errno;
  // Pairs with the release in the constructor.
  if (living_.load(base::memory_order_acquire)->is_the_end(number)) {
    // Pairs with the release in RemovedOnSignal.
    if (armed.load(base::memory_order_acquire)) ::unlink(doomed_path);
    ::_exit(kInterrupted);
  }
  errno = saved;
}

// Whether this signal ends the process, not only the scan.
bool Interrupt::is_the_end(int number) {
  const std::int64_t now = monotonic_now();
  if (!source_.cancel_from_signal()) {
    if (signal() == SIGINT) signal_.store(number, base::memory_order_relaxed);
    return now >= echo_end_.load(base::memory_order_relaxed);
  }
  signal_.store(number, base::memory_order_relaxed);
  echo_end_.store(now + kEcho, base::memory_order_relaxed);
  return at_once_.load(base::memory_order_relaxed) || writing_.load(base::memory_order_relaxed);
}

RemovedOnSignal::RemovedOnSignal(const std::string& path) {
  if (path.size() >= sizeof doomed_path) return;  // open() rejects such a path
  std::memcpy(doomed_path, path.c_str(), path.size() + 1);
  armed.store(true, base::memory_order_release);  // pairs with the acquire in handle()
}

RemovedOnSignal::~RemovedOnSignal() {
  armed.store(false, base::memory_order_relaxed);
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void ignore_closed_pipes() {
  pipe_was_ignored = is_ignored(SIGPIPE);
  ::signal(SIGPIPE, SIG_IGN);
}

ClosedPipesAsBefore::ClosedPipesAsBefore() {
  if (!pipe_was_ignored) ::signal(SIGPIPE, SIG_DFL);
}

ClosedPipesAsBefore::~ClosedPipesAsBefore() {
  ::signal(SIGPIPE, SIG_IGN);
}

// ---- SIGURG

base::atomic<HandBackRequest*> HandBackRequest::living_{nullptr};
static_assert(base::atomic<HandBackRequest*>::is_always_lock_free,
              "a signal handler must not wait");

HandBackRequest::HandBackRequest() {
  living_.store(this, base::memory_order_release);  // pairs with the acquire in handle()
  struct sigaction action {};
  action.sa_handler = handle;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // only the handler reacts to the signal
  ::sigaction(SIGURG, &action, nullptr);
}

HandBackRequest::~HandBackRequest() {
  ::signal(SIGURG, SIG_DFL);
}

void HandBackRequest::handle(int) {
  // Pairs with the release in the constructor.
  static_cast<void>(living_.load(base::memory_order_acquire)->source_.cancel_from_signal());
}

// ---- SIGUSR1

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

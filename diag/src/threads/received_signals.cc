// ReceivedSignals: signalfd().

#include "threads/received_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::diag {

namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// A blocked signal arrives even if the process ignores it.
bool ignores(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

ReceivedSignals::ReceivedSignals() {
  sigset_t received;
  ::sigemptyset(&received);
  ::sigaddset(&received, SIGCHLD);
  for (const int number : kPassedOn) {
    if (!ignores(number)) ::sigaddset(&received, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &received, &before_);
  blocked_ = received;
  if (::sigismember(&before_, SIGCHLD) == 1) ::sigdelset(&blocked_, SIGCHLD);
  for (const int number : kPassedOn) {
    if (::sigismember(&before_, number) == 1) ::sigdelset(&blocked_, number);
  }
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, &child_before_);
  file_.reset(::signalfd(-1, &received, SFD_CLOEXEC | SFD_NONBLOCK));
  if (file_) return;
  const int code = errno;
  restore();
  throw base::SystemError("signalfd", code);
}

ReceivedSignals::~ReceivedSignals() {
  restore();
}

void ReceivedSignals::restore() const {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::pthread_sigmask(SIG_UNBLOCK, &blocked_, nullptr);
}

std::optional<ReceivedSignals::Signal> ReceivedSignals::next() {
  signalfd_siginfo info = {};
  const ssize_t length = base::retry([&] { return ::read(file_.get(), &info, sizeof info); });
  if (length != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return Signal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace fathom::diag

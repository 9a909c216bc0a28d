// Stop: a signalfd and standard input in one epoll instance.

#include "net/server/stop.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "fathom/base/error.h"

namespace fathom::bench {

namespace {

base::Fd signals_that_end() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  return base::Fd(::signalfd(-1, &ending, SFD_NONBLOCK | SFD_CLOEXEC));
}

}  // namespace

Stop::Stop() : signals_(signals_that_end()), either_(::epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event = {};
  event.events = EPOLLIN;
  if (!signals_ || !either_ ||
      ::epoll_ctl(either_.get(), EPOLL_CTL_ADD, signals_.get(), &event) != 0) {
    throw base::SystemError("cannot wait for signals", errno);
  }
  // A hang-up is always reported; input must not be. A regular file cannot be watched, and never
  // hangs up.
  event.events = 0;
  ::epoll_ctl(either_.get(), EPOLL_CTL_ADD, STDIN_FILENO, &event);
}

}  // namespace fathom::bench

// Acceptor: accept4(), and a spare descriptor.

#include "net/server/acceptor.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "fathom/base/error.h"

namespace fathom::bench {

namespace {

base::Fd make_spare() {
  return base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

Acceptor::Acceptor(base::Fd listener) : listener_(std::move(listener)), spare_(make_spare()) {}

bool Acceptor::is_shortage(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

base::Fd Acceptor::next(int flags) {
  // A thread that is not an acceptor may have taken it in turn_away(), for as long as malloc()
  // reads a file. A client must not get it instead: all others would then wait until one leaves.
  if (!spare_) spare_ = make_spare();
  if (!spare_) return {};
  for (;;) {
    base::Fd client(::accept4(listener_.get(), nullptr, nullptr, flags));
    if (client) return client;
    if (errno == EAGAIN) return client;
    if (is_shortage(errno)) {
      turn_away();
      return client;
    }
    // Errors of a single client, such as one that left before it was accepted, must not stop the
    // server: accept(2) lists many.
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      throw base::SystemError("cannot accept clients", errno);
    }
  }
}

void Acceptor::turn_away() {
  if (!told_) {
    std::fputs("fathom-echo-server: out of descriptors: refusing clients\n", stderr);
    told_ = true;
  }
  spare_.reset();
  pollfd listener = {.fd = listener_.get(), .events = POLLIN, .revents = 0};
  // The client may have left, and the listener may be a blocking one.
  if (::poll(&listener, 1, 0) == 1)
    base::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)).reset();
  spare_ = make_spare();
}

}  // namespace fathom::bench

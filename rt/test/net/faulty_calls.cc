// The wrappers of calls, which inject the planned fault.

#include "net/faulty_calls.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "fathom/base/atomic.h"

namespace fathom::rt::testing {

namespace {

// Only written while no server runs.
std::optional<Fault> planned;
base::atomic<std::size_t> calls{0};

// Whether this is the call that must fail.
bool is_planned(Call call) {
  return planned && planned->call == call && calls.fetch_add(1) == planned->number;
}

// 0 means: do less than requested.
template <class Result>
std::optional<Result> failure(Call call) {
  if (!is_planned(call)) return std::nullopt;
  if (planned->error == kShort) return Result{0};
  errno = planned->error;
  return Result{-1};
}

}  // namespace

void plan(const Fault& fault) {
  planned = fault;
  calls = 0;
}

void plan_nothing() {
  planned.reset();
}

bool has_come() {
  return planned && calls > planned->number;
}

}  // namespace fathom::rt::testing

using fathom::rt::testing::Call;
using fathom::rt::testing::failure;

extern "C" {

// Names that the linker generates. NOLINTBEGIN(readability-identifier-naming)
ssize_t __wrap_recv(int socket, void* buffer, size_t size, int flags) {
  if (const auto result = failure<ssize_t>(Call::recv)) {
    if (*result < 0) return *result;
    size = std::min<size_t>(size, 1);
  }
  return ::syscall(SYS_recvfrom, socket, buffer, size, flags, nullptr, nullptr);
}

ssize_t __wrap_send(int socket, const void* buffer, size_t size, int flags) {
  if (const auto result = failure<ssize_t>(Call::send)) {
    if (*result < 0) return *result;
    size = std::min<size_t>(size, 1);
  }
  return ::syscall(SYS_sendto, socket, buffer, size, flags, nullptr, 0);
}

int __wrap_accept4(int socket, sockaddr* address, socklen_t* size, int flags) {
  if (const auto result = failure<int>(Call::accept4)) return *result;
  return static_cast<int>(::syscall(SYS_accept4, socket, address, size, flags));
}

int __wrap_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) {
  if (const auto result = failure<int>(Call::epoll_ctl)) return *result;
  return static_cast<int>(::syscall(SYS_epoll_ctl, epoll, operation, descriptor, event));
}

int __wrap_epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  if (const auto result = failure<int>(Call::epoll_wait)) return *result;
  return static_cast<int>(::syscall(SYS_epoll_pwait, epoll, events, most, timeout, nullptr, 8));
}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"

// Tests of the acceptor that most servers share.

#include "net/server/acceptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdarg>
#include <utility>

#include "fathom/testing/needs_loopback.h"
#include "net/client/connection.h"
#include "net/server/listening.h"

namespace fathom::bench {
namespace {

bool open_fails = false;

}  // namespace
}  // namespace fathom::bench

extern "C" {

// Names that the linker generates. NOLINTBEGIN(readability-identifier-naming)
int __real_open(const char* path, int flags, ...);

int __wrap_open(const char* path, int flags, ...) {
  if (fathom::bench::open_fails) {
    errno = EMFILE;
    return -1;
  }
  std::va_list more;
  va_start(more, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
  va_end(more);
  return __real_open(path, flags, mode);
}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"

namespace fathom::bench {
namespace {

// While it lives, the process can open no descriptor with this number or a larger one.
class Limit {
 public:
  explicit Limit(int number) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit = {.rlim_cur = static_cast<rlim_t>(number), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(Acceptor, RefusesClientsAlsoAfterItsSpareDescriptorWasTaken) {
  Listeners listening = listen_on_loopback(1, 0);
  const base::Fd client = connect_to(port_of(listening.sockets.front()));
  // The spare gets the lowest number that is not in use.
  const int spare = base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
  Acceptor acceptor(std::move(listening.sockets.front()));
  {
    const Limit none(spare);
    acceptor.turn_away();
  }
  {
    const Limit one(spare + 1);
    EXPECT_FALSE(acceptor.next()) << "the client has the last descriptor";
  }
  char byte = 0;
  EXPECT_EQ(::recv(client.get(), &byte, 1, MSG_DONTWAIT), 0) << "the client is refused";
}

TEST(Acceptor, LetsClientsWaitUntilItHasASpareDescriptor) {
  Listeners listening = listen_on_loopback(1, 0);
  const base::Fd client = connect_to(port_of(listening.sockets.front()));
  open_fails = true;
  Acceptor acceptor(std::move(listening.sockets.front()));
  EXPECT_FALSE(acceptor.next());
  open_fails = false;
  EXPECT_TRUE(acceptor.next());
}

}  // namespace
}  // namespace fathom::bench

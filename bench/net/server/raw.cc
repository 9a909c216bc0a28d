// The floor: a minimal level-triggered epoll loop. One wait for many events, one receive and one
// send per message, one buffer for all clients.

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "net/server/acceptor.h"
#include "net/server/echo.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

class Loop {
 public:
  Loop(base::Fd listener, int stop) : acceptor_(std::move(listener)), stop_(stop) {
    control(EPOLL_CTL_ADD, stop_, EPOLLIN);
    control(EPOLL_CTL_ADD, acceptor_.descriptor(), EPOLLIN);
  }

  void run() {
    std::array<epoll_event, kEvents> events;
    for (;;) {
      const int count =
          base::retry([&] { return ::epoll_wait(epoll_.get(), events.data(), kEvents, -1); });
      if (count < 0) throw base::SystemError("cannot wait for events", errno);
      for (int i = 0; i < count; ++i) {
        const int ready = events[static_cast<std::size_t>(i)].data.fd;
        if (ready == stop_) return;
        if (ready == acceptor_.descriptor()) {
          accept();
        } else {
          serve(ready);
        }
      }
    }
  }

 private:
  struct Client {
    explicit Client(base::Fd socket) : echo(std::move(socket)) {}

    Echo echo;
    Wants awaited = Wants::receive;
  };

  void accept() {
    while (base::Fd socket = acceptor_.next()) {
      const auto number = static_cast<std::size_t>(socket.get());
      if (number >= clients_.size()) clients_.resize(number * 2);
      control(EPOLL_CTL_ADD, socket.get(), EPOLLIN);
      clients_[number] = std::make_unique<Client>(std::move(socket));
    }
  }

  // A wait reports a descriptor at most once, and only its own event closes it: no event belongs to
  // an earlier client with the same number.
  void serve(int descriptor) {
    auto& client = clients_[static_cast<std::size_t>(descriptor)];
    const Wants wants = client->echo.turn(buffer_);
    if (wants == client->awaited) return;
    if (wants == Wants::end) {
      client.reset();  // closing also removes it from epoll
      return;
    }
    control(EPOLL_CTL_MOD, descriptor, wants == Wants::send ? EPOLLOUT : EPOLLIN);
    client->awaited = wants;
  }

  void control(int operation, int descriptor, std::uint32_t events) {
    epoll_event event = {};
    event.events = events;
    event.data.fd = descriptor;
    if (::epoll_ctl(epoll_.get(), operation, descriptor, &event) != 0) {
      throw base::SystemError("cannot watch a descriptor", errno);
    }
  }

  base::Fd epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  Acceptor acceptor_;
  const int stop_;
  std::vector<std::unique_ptr<Client>> clients_;  // by descriptor
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

}  // namespace

void serve_raw(Serving& serving) {
  run_loops(serving, "raw",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench

// Edge-triggered epoll: a client is registered once, for both directions, and after each event it
// is served until its socket is empty.
//
// A receive that did not fill the buffer has emptied the socket, so no second receive is needed;
// the end of the stream, which comes without bytes, is reported by the event (EPOLLRDHUP).

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
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.fd == stop_) return;
        if (event.data.fd == acceptor_.descriptor()) {
          accept();
        } else {
          serve(event.data.fd, (event.events & kLeft) != 0);
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kLeft = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  static constexpr std::uint32_t kEdges = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  // After so many buffers of one client, the others get their turn.
  static constexpr int kTurns = 16;

  void accept() {
    while (base::Fd socket = acceptor_.next()) {
      const auto number = static_cast<std::size_t>(socket.get());
      if (number >= clients_.size()) clients_.resize(number * 2);
      control(EPOLL_CTL_ADD, socket.get(), kEdges);
      clients_[number] = std::make_unique<Echo>(std::move(socket));
    }
  }

  void serve(int descriptor, bool left) {
    auto& client = clients_[static_cast<std::size_t>(descriptor)];
    for (int turn = 0; turn < kTurns; ++turn) {
      const Wants wants = client->turn(buffer_);
      if (wants == Wants::end) {
        client.reset();
        return;
      }
      if (wants == Wants::send) return;  // writability will cause an edge
      if (!left && !client->may_hold_more()) return;
    }
    // Setting the interest again causes an edge for what is still in the socket.
    control(EPOLL_CTL_MOD, descriptor, kEdges);
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
  std::vector<std::unique_ptr<Echo>> clients_;  // by descriptor
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

}  // namespace

void serve_epoll_et(Serving& serving) {
  run_loops(serving, "epoll-et",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench

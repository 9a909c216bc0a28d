// poll(): all clients are passed to the kernel at each wait, and the loop checks all of them after
// it.

#include <poll.h>

#include <cerrno>
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
  Loop(base::Fd listener, int stop) : acceptor_(std::move(listener)) {
    watched_.push_back({.fd = stop, .events = POLLIN, .revents = 0});
    watched_.push_back({.fd = acceptor_.descriptor(), .events = POLLIN, .revents = 0});
  }

  void run() {
    for (;;) {
      const int count = base::retry([&] { return ::poll(watched_.data(), watched_.size(), -1); });
      if (count < 0) throw base::SystemError("cannot wait for events", errno);
      if (watched_[0].revents != 0) return;
      serve(count - (watched_[1].revents != 0 ? 1 : 0));
      if (watched_[1].revents != 0) accept();
    }
  }

 private:
  static constexpr std::size_t kFirst = 2;  // the index of the first client in watched_

  // `ready` clients are ready: after the last of them the loop can stop.
  void serve(int ready) {
    for (std::size_t i = kFirst; ready > 0 && i < watched_.size();) {
      if (watched_[i].revents == 0) {
        ++i;
        continue;
      }
      --ready;
      const Wants wants = clients_[i - kFirst].turn(buffer_);
      if (wants == Wants::end) {
        remove(i);  // the last client is now at this index
        continue;
      }
      watched_[i].events = wants == Wants::send ? POLLOUT : POLLIN;
      ++i;
    }
  }

  void accept() {
    while (base::Fd socket = acceptor_.next()) {
      watched_.push_back({.fd = socket.get(), .events = POLLIN, .revents = 0});
      clients_.emplace_back(std::move(socket));
    }
  }

  void remove(std::size_t i) {
    std::swap(watched_[i], watched_.back());
    std::swap(clients_[i - kFirst], clients_.back());
    watched_.pop_back();
    clients_.pop_back();
  }

  Acceptor acceptor_;
  std::vector<pollfd> watched_;  // the stop, the listener, and the clients
  std::vector<Echo> clients_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

}  // namespace

void serve_poll(Serving& serving) {
  run_loops(serving, "poll",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench

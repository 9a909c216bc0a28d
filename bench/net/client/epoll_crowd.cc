// EpollCrowd: one thread for all clients, with a raw epoll loop.

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <deque>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "net/client/connection.h"
#include "net/client/crowd.h"

namespace fathom::bench {

namespace {

class EpollCrowd : public Crowd {
 public:
  EpollCrowd(std::uint16_t port, const Pattern& pattern, const ClientOptions& options)
      : port_(port), pattern_(pattern), options_(options) {}

  void add(std::size_t clients) override {
    for (; clients > 0; --clients) {
      Client& client = clients_.emplace_back(connect_to(port_, options_), clients_.size());
      control(EPOLL_CTL_ADD, client, EPOLLIN);
    }
  }

  Talk talk(std::size_t messages) override {
    Talk talk;
    talk.round_trips.reserve(clients_.size() * messages);
    const std::size_t wrong_before = wrong_bytes();
    const auto begin = base::monotonic_now();
    ended_ = begin;
    talking_ = 0;
    for (Client& client : clients_) {
      if (!client.connection.open()) {
        talk.disconnections.add(client.connection.error());
        continue;
      }
      ++talking_;
      client.last = client.next + messages;
      start_next(client, base::monotonic_now(), talk);
    }
    while (talking_ > 0) wait(talk);
    talk.elapsed = ended_ - begin;
    talk.wrong_bytes = wrong_bytes() - wrong_before;
    return talk;
  }

 private:
  struct Client {
    Client(base::Fd socket, std::size_t place) : connection(std::move(socket)), number(place) {}

    Connection connection;
    const std::size_t number;
    std::size_t next = 0;  // the next message
    std::size_t last = 0;  // one past the last message of this talk
    bool watched_for_room = false;
  };

  static constexpr int kEvents = 256;
  void wait(Talk& talk) {
    std::array<epoll_event, kEvents> events;
    const int patience = static_cast<int>(options_.patience.count());
    const int count =
        base::retry([&] { return ::epoll_wait(epoll_.get(), events.data(), kEvents, patience); });
    if (count == 0) give_up(talk);
    if (count < 0) throw base::SystemError("cannot wait for answers", errno);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      Client& client = *static_cast<Client*>(event.data.ptr);
      // Receive first: the server may have to send before it accepts more.
      if ((event.events & ~EPOLLOUT) != 0 && !receive(client, talk)) continue;
      if ((event.events & EPOLLOUT) != 0 && !client.connection.sent()) send(client, talk);
    }
  }

  // Nobody has been answered for too long.
  void give_up(Talk& talk) {
    for (Client& client : clients_) {
      if (!client.connection.open() || client.next == client.last) continue;
      client.connection.time_out();
      lose(client, talk);
    }
  }

  // False if the connection is lost.
  bool receive(Client& client, Talk& talk) {
    switch (client.connection.receive(buffer_, MSG_DONTWAIT)) {
      case Connection::State::under_way:
        return true;
      case Connection::State::lost:
        lose(client, talk);
        return false;
      case Connection::State::back:
        break;
    }
    // Unsolicited bytes are wrong and do not count as a round trip.
    if (client.next == client.last) return true;
    const auto now = base::monotonic_now();
    talk.round_trips.push_back(now - client.connection.started());
    if (++client.next < client.last) {
      start_next(client, now, talk);
    } else {
      ended_ = now;
      --talking_;
    }
    return client.connection.open();
  }

  void start_next(Client& client, Connection::TimePoint now, Talk& talk) {
    client.connection.start(pattern_.message(client.number, client.next), now);
    send(client, talk);
  }

  void send(Client& client, Talk& talk) {
    if (client.connection.send() == Connection::State::lost) {
      lose(client, talk);
      return;
    }
    const bool wants_room = !client.connection.sent();
    if (wants_room == client.watched_for_room) return;
    client.watched_for_room = wants_room;
    control(EPOLL_CTL_MOD, client, wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  // Its socket is already closed. If it had its last answer, the next talk counts it.
  void lose(Client& client, Talk& talk) {
    if (client.next == client.last) return;
    talk.disconnections.add(client.connection.error());
    ended_ = base::monotonic_now();
    --talking_;
  }

  std::size_t wrong_bytes() const {
    std::size_t sum = 0;
    for (const Client& client : clients_) sum += client.connection.wrong_bytes();
    return sum;
  }

  void control(int operation, Client& client, std::uint32_t events) {
    epoll_event event = {};
    event.events = events;
    event.data.ptr = &client;
    if (::epoll_ctl(epoll_.get(), operation, client.connection.descriptor(), &event) != 0) {
      throw base::SystemError("cannot watch a client", errno);
    }
  }

  const std::uint16_t port_;
  const Pattern& pattern_;
  const ClientOptions options_;
  base::Fd epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  std::deque<Client> clients_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{64} * 1024);
  std::size_t talking_ = 0;  // clients still waiting for their last answer
  Connection::TimePoint ended_;
};

}  // namespace

std::unique_ptr<Crowd> make_epoll_crowd(std::uint16_t port, const Pattern& pattern,
                                        const ClientOptions& options) {
  return std::make_unique<EpollCrowd>(port, pattern, options);
}

}  // namespace fathom::bench

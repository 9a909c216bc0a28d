// ThreadCrowd: one blocking thread per client.

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <exception>
#include <thread>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "net/client/connection.h"
#include "net/client/crowd.h"

namespace fathom::bench {

namespace {

// A start line at which many threads sleep: a thousand spinning threads would impede each other.
class Gate {
 public:
  Gate() {
    ::sem_init(&arrived_, 0, 0);
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw base::SystemError("cannot create a pipe", errno);
    entry_.reset(ends[0]);
    lock_.reset(ends[1]);
  }

  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { ::sem_destroy(&arrived_); }

  void pass() {
    ::sem_post(&arrived_);
    char none = 0;
    static_cast<void>(base::retry([&] { return ::read(entry_.get(), &none, 1); }));
  }
  void await(std::size_t threads) {
    while (threads > 0) {
      if (::sem_wait(&arrived_) == 0) --threads;
    }
  }
  void open() { lock_.reset(); }

 private:
  sem_t arrived_;
  base::Fd entry_;  // at its end once the other end is closed
  base::Fd lock_;
};

class ThreadCrowd : public Crowd {
 public:
  ThreadCrowd(std::uint16_t port, const Pattern& pattern, const ClientOptions& options)
      : port_(port), pattern_(pattern), options_(options) {}

  void add(std::size_t clients) override {
    pieces_.resize(connections_.size() + clients);
    for (; clients > 0; --clients) connections_.emplace_back(connect_to(port_, options_));
  }

  Talk talk(std::size_t messages) override {
    Gate gate;
    std::vector<std::jthread> threads;
    try {
      for (std::size_t number = 0; number < connections_.size(); ++number) {
        Piece& piece = pieces_[number];
        piece.talk = {};
        piece.talk.round_trips.reserve(messages);
        piece.first = first_;
        if (!connections_[number].open()) {
          piece.talk.disconnections.add(connections_[number].error());
          continue;
        }
        threads.emplace_back([this, &gate, number, messages] {
          ::pthread_setname_np(::pthread_self(), "client");
          gate.pass();
          try {
            run(number, messages);
          } catch (...) {
            pieces_[number].failure = std::current_exception();
          }
        });
      }
    } catch (...) {
      gate.open();
      throw;
    }
    gate.await(threads.size());
    const auto begin = base::monotonic_now();
    gate.open();
    threads.clear();  // joins the threads
    first_ += messages;
    return sum_up(begin);
  }

 private:
  // The part of one thread in the talk.
  struct Piece {
    Talk talk;
    Connection::TimePoint ended;
    std::size_t first = 0;
    std::exception_ptr failure;
  };

  void run(std::size_t number, std::size_t messages) {
    Connection& connection = connections_[number];
    Piece& piece = pieces_[number];
    std::vector<char> buffer(std::min<std::size_t>(pattern_.size() + 1, std::size_t{64} * 1024));
    const std::size_t wrong_before = connection.wrong_bytes();
    auto now = base::monotonic_now();
    for (std::size_t i = 0; i < messages; ++i) {
      connection.start(pattern_.message(number, piece.first + i), now);
      if (!exchange(connection, buffer)) {
        piece.talk.disconnections.add(connection.error());
        break;
      }
      now = base::monotonic_now();
      piece.talk.round_trips.push_back(now - connection.started());
    }
    piece.ended = base::monotonic_now();
    piece.talk.wrong_bytes = connection.wrong_bytes() - wrong_before;
  }

  // Until the message is back: true; false if the connection is lost.
  bool exchange(Connection& connection, std::span<char> buffer) const {
    for (;;) {
      if (connection.send() == Connection::State::lost) return false;
      // A message that could not be sent at once is sent and received alternately; otherwise both
      // sides might wait for each other.
      if (!connection.sent() && !wait(connection)) return false;
      switch (connection.receive(buffer, connection.sent() ? 0 : MSG_DONTWAIT)) {
        case Connection::State::lost:
          return false;
        case Connection::State::back:
          return true;
        case Connection::State::under_way:
          break;
      }
    }
  }

  // False if neither direction gets on, and the connection is therefore lost.
  bool wait(Connection& connection) const {
    pollfd watched = {.fd = connection.descriptor(), .events = POLLIN | POLLOUT, .revents = 0};
    if (::poll(&watched, 1, static_cast<int>(options_.patience.count())) != 0) return true;
    connection.time_out();
    return false;
  }

  Talk sum_up(Connection::TimePoint begin) {
    Talk talk;
    for (Piece& piece : pieces_) {
      if (piece.failure) std::rethrow_exception(std::exchange(piece.failure, nullptr));
      talk.round_trips.insert(talk.round_trips.end(), piece.talk.round_trips.begin(),
                              piece.talk.round_trips.end());
      talk.disconnections += piece.talk.disconnections;
      talk.wrong_bytes += piece.talk.wrong_bytes;
      talk.elapsed = std::max(talk.elapsed, std::chrono::nanoseconds(piece.ended - begin));
    }
    return talk;
  }

  const std::uint16_t port_;
  const Pattern& pattern_;
  const ClientOptions options_;
  std::deque<Connection> connections_;
  std::vector<Piece> pieces_;  // one per connection
  std::size_t first_ = 0;      // the first message of the next talk
};

}  // namespace

std::unique_ptr<Crowd> make_thread_crowd(std::uint16_t port, const Pattern& pattern,
                                         const ClientOptions& options) {
  return std::make_unique<ThreadCrowd>(port, pattern, options);
}

}  // namespace fathom::bench

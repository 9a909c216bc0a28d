// One thread waits with epoll and passes ready clients to others, which receive and send. A client
// is watched for one event at a time (EPOLLONESHOT), so that two threads never serve it at once.

#include <semaphore.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "net/server/acceptor.h"
#include "net/server/echo.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

struct Client {
  explicit Client(base::Fd socket) : echo(std::move(socket)) {}

  Echo echo;
  // Held while a client is served. A client that a worker has returned to the kernel may reach the
  // next worker before that call has returned.
  std::mutex turn;
};

// A queue under a lock, and a semaphore that counts its elements. Not a condition variable: that of
// glibc before 2.41 may lose a wake-up (bug 25847).
class Ready {
 public:
  Ready() { ::sem_init(&count_, 0, 0); }
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;
  ~Ready() { ::sem_destroy(&count_); }

  // Null ends one worker.
  void push(Client* client) {
    {
      const std::lock_guard lock(mutex_);
      clients_.push_back(client);
    }
    ::sem_post(&count_);
  }

  Client* pop() {
    while (::sem_wait(&count_) != 0) continue;  // interrupted by a signal
    const std::lock_guard lock(mutex_);
    Client* const client = clients_.front();
    clients_.pop_front();
    return client;
  }

 private:
  sem_t count_;
  std::mutex mutex_;
  std::deque<Client*> clients_;
};

class Pool {
 public:
  Pool(base::Fd listener, int stop, unsigned threads)
      : acceptor_(std::move(listener)), stop_(stop) {
    control(EPOLL_CTL_ADD, stop_, EPOLLIN, &stop_);
    control(EPOLL_CTL_ADD, acceptor_.descriptor(), EPOLLIN, &acceptor_);
    for (unsigned number = 0; number < threads; ++number) {
      workers_.emplace_back([this, number] { work(number); });
    }
  }

  void run() {
    wait();
    for (std::size_t i = 0; i < workers_.size(); ++i) ready_.push(nullptr);
    workers_.clear();  // joins the workers
  }

 private:
  void wait() {
    std::array<epoll_event, kEvents> events;
    for (;;) {
      const int count =
          base::retry([&] { return ::epoll_wait(epoll_.get(), events.data(), kEvents, -1); });
      if (count < 0) throw base::SystemError("cannot wait for events", errno);
      for (int i = 0; i < count; ++i) {
        void* const who = events[static_cast<std::size_t>(i)].data.ptr;
        if (who == &stop_) return;
        if (who == &acceptor_) {
          accept();
        } else {
          ready_.push(static_cast<Client*>(who));
        }
      }
    }
  }

  void accept() {
    while (base::Fd socket = acceptor_.next()) {
      auto owned = std::make_unique<Client>(std::move(socket));
      Client* const client = owned.get();
      {
        const std::lock_guard lock(mutex_);
        clients_.emplace(client, std::move(owned));
      }
      control(EPOLL_CTL_ADD, client->echo.descriptor(), EPOLLIN | EPOLLONESHOT, client);
    }
  }

  void work(unsigned number) {
    try {
      name_thread("worker-" + std::to_string(number));
      std::vector<char> buffer(kBufferBytes);
      while (Client* const client = ready_.pop()) serve(*client, buffer);
    } catch (const std::exception& error) {
      give_up(error);
    }
  }

  void serve(Client& client, std::vector<char>& buffer) {
    if (take_turn(client, buffer)) return;
    const std::lock_guard lock(mutex_);
    clients_.erase(&client);
  }

  // False if it was the client's last turn.
  bool take_turn(Client& client, std::vector<char>& buffer) {
    const std::lock_guard turn(client.turn);
    const Wants wants = client.echo.turn(buffer);
    if (wants == Wants::end) return false;
    control(EPOLL_CTL_MOD, client.echo.descriptor(),
            (wants == Wants::send ? EPOLLOUT : EPOLLIN) | EPOLLONESHOT, &client);
    return true;
  }

  void control(int operation, int descriptor, std::uint32_t events, void* who) {
    epoll_event event = {};
    event.events = events;
    event.data.ptr = who;
    if (::epoll_ctl(epoll_.get(), operation, descriptor, &event) != 0) {
      throw base::SystemError("cannot watch a descriptor", errno);
    }
  }

  base::Fd epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  Acceptor acceptor_;
  int stop_;
  Ready ready_;
  std::mutex mutex_;
  std::unordered_map<Client*, std::unique_ptr<Client>> clients_;  // guarded by the mutex
  std::vector<std::jthread> workers_;
};

}  // namespace

void serve_thread_pool(Serving& serving) {
  name_thread("dispatcher");
  Pool(std::move(serving.listeners.front()), serving.stop, serving.threads).run();
}

}  // namespace fathom::bench

// One blocking thread per client, and one more that accepts. The lock only protects the list of
// clients: no message takes it.

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <list>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "net/server/acceptor.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

class Server {
 public:
  Server(base::Fd listener, int stop) : acceptor_(std::move(listener)), stop_(stop) {}

  void run() {
    std::array<pollfd, 2> watched = {
        {{.fd = stop_, .events = POLLIN, .revents = 0},
         {.fd = acceptor_.descriptor(), .events = POLLIN, .revents = 0}}};
    for (;;) {
      if (base::retry([&] { return ::poll(watched.data(), watched.size(), -1); }) < 0) {
        throw base::SystemError("cannot wait for clients", errno);
      }
      if (watched[0].revents != 0) break;
      while (base::Fd socket = acceptor_.next(SOCK_CLOEXEC)) start(std::move(socket));
      join_finished();
    }
    end_all();
  }

 private:
  struct Client {
    base::Fd socket;
    std::thread thread;
  };
  using Clients = std::list<Client>;

  void start(base::Fd socket) {
    const std::lock_guard lock(mutex_);
    const auto client = clients_.insert(clients_.end(), {std::move(socket), {}});
    try {
      client->thread = std::thread([this, client, number = ++started_] {
        name_thread("client-" + std::to_string(number));
        echo(client->socket.get());
        finish(client);
      });
    } catch (const std::system_error& error) {
      clients_.erase(client);
      if (!std::exchange(told_, true)) {
        std::fprintf(stderr, "fathom-echo-server: refusing a client: %s\n", error.what());
      }
    }
  }

  static void echo(int socket) {
    std::vector<char> buffer(kBufferBytes);
    for (;;) {
      const ssize_t received =
          base::retry([&] { return ::recv(socket, buffer.data(), buffer.size(), 0); });
      if (received <= 0) return;
      if (!send(socket, buffer.data(), static_cast<std::size_t>(received))) return;
    }
  }

  static bool send(int socket, const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t sent = base::retry([&] { return ::send(socket, bytes, count, MSG_NOSIGNAL); });
      if (sent < 0) return false;
      bytes += sent;
      count -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  // The last action of a client's thread. The client sees the end immediately; the acceptor joins
  // the thread when it next has something to do.
  void finish(Clients::iterator client) {
    const std::lock_guard lock(mutex_);
    client->socket.reset();
    finished_.splice(finished_.end(), clients_, client);
  }

  void join_finished() {
    Clients finished;
    {
      const std::lock_guard lock(mutex_);
      finished.swap(finished_);
    }
    for (Client& client : finished) {
      if (client.thread.joinable()) client.thread.join();
    }
  }

  void end_all() {
    {
      const std::lock_guard lock(mutex_);
      for (Client& client : clients_) ::shutdown(client.socket.get(), SHUT_RDWR);
    }
    for (std::thread thread = any_thread(); thread.joinable(); thread = any_thread()) thread.join();
    join_finished();
  }

  // The thread of a client that has not finished; none if all have.
  std::thread any_thread() {
    const std::lock_guard lock(mutex_);
    return clients_.empty() ? std::thread() : std::move(clients_.front().thread);
  }

  Acceptor acceptor_;
  const int stop_;
  std::size_t started_ = 0;
  bool told_ = false;
  std::mutex mutex_;
  Clients clients_;   // guarded by the mutex, like finished_
  Clients finished_;  // their threads must only be joined
};

}  // namespace

void serve_thread_per_client(Serving& serving) {
  name_thread("acceptor");
  Server(std::move(serving.listeners.front()), serving.stop).run();
}

}  // namespace fathom::bench

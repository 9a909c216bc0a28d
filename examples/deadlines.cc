// deadlines: a server that answers each line with its length, and closes connections that do not
// send a whole line in time.
//
//   deadlines [PORT [MILLISECONDS]]     runs until Ctrl-C
//
// TcpOptions::idle_timeout ends connections over which nothing is received or sent. This program
// sets timers of its own, because a client that sends a byte now and then is not idle.

#include <fathom/rt/net/reactor.h>
#include <fathom/rt/net/tcp_server.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

using namespace fathom::rt;

class Session : public TcpHandler {
 public:
  Session(TcpConnection& client, std::chrono::milliseconds limit)
      : loop_(client.server().loop()), client_(client), limit_(limit) {
    wait_for_line();
  }

  std::size_t on_data(TcpConnection& /*client*/, std::span<const std::byte> data) override {
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    std::size_t used = 0;
    for (std::size_t end = 0; (end = text.find('\n', used)) != text.npos; used = end + 1) {
      client_.send(std::to_string(end - used) + '\n');
      wait_for_line();
    }
    return used;  // the rest is passed again with the bytes that follow
  }

  void on_close(TcpConnection& /*client*/, int /*error*/) noexcept override {
    loop_.cancel(deadline_);
  }

 private:
  void wait_for_line() {
    loop_.cancel(deadline_);
    deadline_ = loop_.after(limit_, [this] {
      client_.send("too late\n");
      client_.finish();
    });
  }

  EventLoop& loop_;
  TcpConnection& client_;
  const std::chrono::milliseconds limit_;
  EventLoop::Timer deadline_{};
};

int main(int argc, char** argv) {
  Reactor loop;
  TcpOptions options;
  options.port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 7778);
  const std::chrono::milliseconds limit(argc > 2 ? std::atoi(argv[2]) : 5000);
  TcpServer server(loop, options, [limit](TcpConnection& client) {
    return std::make_unique<Session>(client, limit);
  });
  loop.on_signals({SIGINT, SIGTERM},
                  [&](int) { server.shut_down(std::chrono::seconds(5), [&] { loop.stop(); }); });
  std::cout << "deadlines on port " << server.port() << std::endl;
  loop.run();
}

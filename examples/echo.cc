// echo: a server that sends back what it receives.
//
//   echo [PORT]     runs until Ctrl-C, which lets pending data go out first

#include <fathom/rt/net/reactor.h>
#include <fathom/rt/net/tcp_server.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>

using namespace fathom::rt;

struct Echo : TcpHandler {
  std::size_t on_data(TcpConnection& to, std::span<const std::byte> data) override {
    to.send(data);
    return data.size();
  }
};

int main(int argc, char** argv) {
  Reactor loop;
  TcpOptions options;
  options.port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 7777);
  TcpServer server(loop, options, [](TcpConnection&) { return std::make_unique<Echo>(); });
  loop.on_signals({SIGINT, SIGTERM},
                  [&](int) { server.shut_down(std::chrono::seconds(5), [&] { loop.stop(); }); });
  std::cout << "echo on port " << server.port() << std::endl;
  loop.run();
}

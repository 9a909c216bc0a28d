// rt's TcpServer, as a program uses it that leaves all of the connection to it.

#include "fathom/rt/net/tcp_server.h"

#include <memory>
#include <utility>

#include "fathom/rt/net/reactor.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

struct EchoHandler final : rt::TcpHandler {
  std::size_t on_data(rt::TcpConnection& connection, std::span<const std::byte> data) override {
    connection.send(data);
    return data.size();
  }
};

}  // namespace

void serve_tcp_server(Serving& serving) {
  run_loops(serving, "tcp-server", [&](Fd listener) {
    rt::Reactor loop({.events = kEvents});
    rt::TcpOptions options;
    options.listener = listener.release();
    options.high_mark = kBufferBytes;
    options.low_mark = 0;
    const rt::TcpServer server(loop, std::move(options),
                               [](rt::TcpConnection&) { return std::make_unique<EchoHandler>(); });
    loop.add(serving.stop, rt::Reactor::kReadable, [&](unsigned) { loop.stop(); });
    loop.run();
  });
}

}  // namespace fathom::bench

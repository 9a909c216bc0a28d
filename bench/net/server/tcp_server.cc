// rt's TcpServer, which handles connections completely; on each kind of loop.

#include "fathom/rt/net/tcp_server.h"

#include <poll.h>

#include <memory>
#include <utility>

#include "fathom/rt/net/proactor.h"
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

void serve_on(rt::EventLoop& loop, base::Fd listener) {
  rt::TcpOptions options;
  options.listener = listener.release();
  options.high_mark = kBufferBytes;
  options.low_mark = 0;
  const rt::TcpServer server(loop, std::move(options),
                             [](rt::TcpConnection&) { return std::make_unique<EchoHandler>(); });
  loop.run();
}

}  // namespace

void serve_tcp_server(Serving& serving) {
  run_loops(serving, "tcp-server", [&](base::Fd listener) {
    rt::Reactor loop({.events = kEvents});
    loop.add(serving.stop, rt::Reactor::kReadable, [&](unsigned) { loop.stop(); });
    serve_on(loop, std::move(listener));
  });
}

void serve_proactor(Serving& serving) {
  run_loops(serving, "proactor", [&](base::Fd listener) {
    rt::Proactor loop;
    loop.ready(serving.stop, POLLIN, [&](const rt::Proactor::Completion&) { loop.stop(); });
    serve_on(loop, std::move(listener));
  });
}

}  // namespace fathom::bench

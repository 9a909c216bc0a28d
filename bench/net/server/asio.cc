// Boost.Asio as in its examples, "read some" and "write all", in its cheapest form: one context per
// thread, with a concurrency hint of 1, and sessions that their handlers own.

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "net/server/acceptor.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct Session {
  explicit Session(tcp::socket taken) : socket(std::move(taken)) {}

  tcp::socket socket;
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
};
using Owner = std::unique_ptr<Session>;

// Each handler owns the session, which is destroyed with the last handler.
void receive(Owner owner) {
  Session& session = *owner;
  session.socket.async_read_some(
      asio::buffer(session.buffer),
      [owner = std::move(owner)](error_code error, std::size_t received) mutable {
        if (error) return;
        Session& its = *owner;
        asio::async_write(its.socket, asio::buffer(its.buffer.data(), received),
                          [owner = std::move(owner)](error_code failed, std::size_t) mutable {
                            if (!failed) receive(std::move(owner));
                          });
      });
}

class Loop {
 public:
  Loop(base::Fd listener, int stop)
      : acceptor_(std::move(listener)),
        listening_(context_, ::dup(acceptor_.descriptor())),
        stop_(context_, ::dup(stop)) {}

  void run() {
    stop_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [this](error_code) { context_.stop(); });
    accept();
    context_.run();
  }

 private:
  // Accepts all waiting clients at a time, like all kinds; async_accept() would take them one by
  // one.
  void accept() {
    listening_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code error) {
      if (error) throw base::Error("cannot accept clients: " + error.message());
      while (base::Fd socket = acceptor_.next()) {
        tcp::socket taken(context_, tcp::v4(), socket.release());
        receive(std::make_unique<Session>(std::move(taken)));
      }
      accept();
    });
  }

  asio::io_context context_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};
  Acceptor acceptor_;
  asio::posix::stream_descriptor listening_;
  asio::posix::stream_descriptor stop_;
};

}  // namespace

void serve_asio(Serving& serving) {
  run_loops(serving, "asio",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench

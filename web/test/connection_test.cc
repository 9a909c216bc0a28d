// Tests of HttpConnection: what it keeps of a body, and while it does.

#include "http/connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fathom/rt/net/reactor.h"
#include "fathom/rt/net/tcp_server.h"
#include "http_client.h"

namespace fathom::web {
namespace {

// Wants every body, and answers with it.
class EchoService final : public HttpService {
 public:
  Body body_of(const Request& /*request*/) override { return Body::wanted; }
  void answer(const Request& request, HttpConnection& connection) override {
    connection.trust();
    connection.reply(Response{.body = std::string(request.body)});
  }
  void refuse(int status, HttpConnection& connection) override {
    connection.reply(Response{.status = status});
  }
  void sendable(HttpConnection& /*connection*/) override {}
  void closed(HttpConnection& /*connection*/) noexcept override { last = nullptr; }

  HttpConnection* last = nullptr;  // the connection that was made last; null once any has ended
};

// Its loop runs on the thread of the test.
class ConnectionTest : public ::testing::Test {
 protected:
  void run_until(const std::function<bool()>& condition) {
    while (!condition()) loop_.run_once(rt::EventLoop::Wait::yes);
  }
  // A client that has sent the head of a request with a body, and a part of the body.
  HttpClient begins(const std::string& part, std::size_t size) {
    HttpClient client(server_.port());
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(size) +
                "\r\n\r\n" + part);
    run_until([&] { return service_.last != nullptr && service_.last->gathering() == size; });
    return client;
  }

  rt::Reactor loop_;
  EchoService service_;
  HttpDate date_;
  rt::TcpServer server_{
      loop_, {.max_connections = 4, .displace = true}, [this](rt::TcpConnection& connection) {
        auto made = std::make_unique<HttpConnection>(connection, service_, date_);
        service_.last = made.get();
        return made;
      }};
};

TEST_F(ConnectionTest, ThatIsFinishedKeepsNoBody) {
  const HttpClient client = begins("abc", 5000);
  server_.shut_down(std::chrono::hours(1));
  ASSERT_NE(service_.last, nullptr) << "the client has not closed its side";
  EXPECT_EQ(service_.last->gathering(), 0U);
}

TEST_F(ConnectionTest, ThatReceivesABodyIsNotDisplaced) {
  HttpClient client = begins("abc", 6);
  const rt::TcpConnection::Id id = service_.last->id();
  std::vector<HttpClient> strangers;
  for (std::uint64_t i = 2; i < 10; ++i) {
    strangers.emplace_back(server_.port());
    run_until([&] { return server_.stats().accepted == i; });
  }
  EXPECT_EQ(server_.stats().displaced, 5U);
  ASSERT_NE(server_.find(id), nullptr);
  client.send("def");
  run_until([&] { return server_.stats().bytes_sent > 0; });
  EXPECT_EQ(client.reply().body, "abcdef");
}

}  // namespace
}  // namespace fathom::web

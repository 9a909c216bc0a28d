// Tests of Service: questions of clients that have gone.

#include "service.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/ncdu_import.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/rt/net/tcp_server.h"
#include "http_client.h"

namespace fathom::web {
namespace {

// A tree of so many files that a search takes much longer than a turn of the loop.
fs::Scan many_files(int count) {
  std::string text = R"([1,2,{"progname":"fathom","timestamp":1712345678},[{"name":"/srv"})";
  for (int i = 0; i < count; ++i) {
    text += R"(,{"name":"file number )" + std::to_string(i) + R"("})";
  }
  text += "]]";
  return std::move(fs::read_ncdu(fs::text_source(text)).scan);
}

Subject subject_of(int files) {
  Subject subject;
  subject.saved = std::make_shared<fs::Scan>(many_files(files));
  return subject;
}

// Its loop runs on the thread of the test.
class ServiceTest : public ::testing::Test {
 protected:
  explicit ServiceTest(int files = 200'000)
      : service_(loop_, AccessPolicy({.names = {"localhost"}}, "cookie", "token"),
                 subject_of(files)) {
    while (service_.busy()) loop_.run_once(rt::EventLoop::Wait::yes);
  }

  void run_until(const std::function<bool()>& condition) {
    while (!condition()) loop_.run_once(rt::EventLoop::Wait::yes);
  }
  HttpClient asks(int question, const std::string& headers = "",
                  const std::string& version = "HTTP/1.1") {
    HttpClient client(server_.port());
    client.send("GET /api/1/search?q=number&offset=" + std::to_string(question) + ' ' + version +
                "\r\nHost: localhost\r\nAuthorization: Bearer token\r\n" + headers + "\r\n");
    return client;
  }

  rt::Reactor loop_;
  Service service_;
  rt::TcpServer server_{
      loop_, {}, [this](rt::TcpConnection& connection) { return service_.connect(connection); }};
};

// The server has received all requests before it can know that the clients have gone.
TEST_F(ServiceTest, DropsTheQuestionsOfClientsThatHaveGone) {
  constexpr int kClients = 200;
  for (int i = 0; i < kClients; ++i) asks(i).close();
  run_until([&] { return server_.stats().accepted == kClients && server_.connections() == 0; });
  run_until([&] { return service_.questions().under_way() == 0; });
  EXPECT_GT(service_.questions().started(), 0U);
  EXPECT_LT(service_.questions().started(), kClients / 2U);
}

// They cannot be asked whether they are there.
TEST_F(ServiceTest, DropsTheQuestionsOfClientsOfHttp10ThatHaveGone) {
  constexpr int kClients = 200;
  for (int i = 0; i < kClients; ++i) asks(i, "", "HTTP/1.0").close();
  run_until([&] { return server_.stats().accepted == kClients && server_.connections() == 0; });
  run_until([&] { return service_.questions().under_way() == 0; });
  EXPECT_LT(service_.questions().started(), kClients / 2U);
}

TEST_F(ServiceTest, AnswersAClientOfHttp10ThatWaits) {
  HttpClient client = asks(0, "", "HTTP/1.0");
  run_until([&] { return service_.questions().started() == 1; });
  run_until([&] { return service_.questions().under_way() == 0; });
  EXPECT_EQ(client.reply().status, 200);
}

TEST_F(ServiceTest, AnswersThoseWhoStillWait) {
  constexpr int kClients = 50;
  std::vector<HttpClient> waiting;
  for (int i = 0; i < kClients; ++i) {
    HttpClient client = asks(i);
    if (i % 10 == 0) {
      waiting.push_back(std::move(client));
    } else {
      client.close();
    }
  }
  run_until([&] {
    return server_.stats().accepted == kClients && service_.questions().under_way() == 0 &&
           server_.connections() == waiting.size();
  });
  for (HttpClient& client : waiting) EXPECT_EQ(client.reply().status, 200);
}

TEST_F(ServiceTest, AnswersAClientThatHasOnlyClosedItsSendingSide) {
  HttpClient other = asks(0);  // both threads are in use
  HttpClient another = asks(1);
  HttpClient client = asks(2);
  client.end_sending();
  run_until([&] { return service_.questions().started() == 3; });
  run_until([&] { return service_.questions().under_way() == 0; });
  const HttpReply interim = client.head();
  EXPECT_EQ(interim.status, 100) << "by which the server sees whether the client is there";
  EXPECT_EQ(client.reply().status, 200);
}

TEST_F(ServiceTest, AQuestionOfTwoClientsIsComputedForTheOneThatStays) {
  HttpClient other = asks(0);
  HttpClient another = asks(1);
  HttpClient gone = asks(2);
  HttpClient stays = asks(2);
  gone.close();
  run_until([&] { return server_.stats().accepted == 4 && server_.connections() == 3; });
  run_until([&] { return service_.questions().under_way() == 0; });
  EXPECT_EQ(stays.reply().status, 200);
  EXPECT_EQ(service_.questions().started(), 3U);
}

}  // namespace
}  // namespace fathom::web

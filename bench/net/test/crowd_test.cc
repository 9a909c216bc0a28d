// Tests the instrument: both crowds face servers that make mistakes on purpose.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <latch>
#include <map>
#include <string>
#include <thread>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "net/client/crowd.h"

namespace fathom::bench {
namespace {

// Serves one client: passes each received piece to a function, which answers.
class Impostor {
 public:
  // Returns false to end the connection.
  using Answer = std::function<bool(int socket, std::string received)>;

  explicit Impostor(Answer answer) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener_.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, answer = std::move(answer)] { serve(answer); });
  }

  std::uint16_t port() const { return port_; }

 private:
  void serve(const Answer& answer) const {
    const base::Fd client(::accept(listener_.get(), nullptr, nullptr));
    std::array<char, 4096> bytes;
    for (;;) {
      const ssize_t count = ::recv(client.get(), bytes.data(), bytes.size(), 0);
      if (count <= 0) return;
      if (!answer(client.get(), std::string(bytes.data(), static_cast<std::size_t>(count)))) return;
    }
  }

  base::Fd listener_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

void send_all(int socket, const std::string& bytes) {
  ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

class Crowds : public ::testing::TestWithParam<Crowd::Kind> {
 protected:
  Talk talk_to(const Impostor& server, std::size_t messages) {
    const auto crowd = make_crowd(GetParam(), server.port(), 1, pattern_);
    return crowd->talk(messages);
  }

  const Pattern pattern_{100};
};

INSTANTIATE_TEST_SUITE_P(Both, Crowds, ::testing::Values(Crowd::Kind::threads, Crowd::Kind::epoll),
                         [](const auto& crowd) {
                           return crowd.param == Crowd::Kind::threads ? "threads" : "epoll";
                         });

TEST_P(Crowds, AcceptAnswersThatComeByteByByte) {
  Impostor server([](int socket, const std::string& received) {
    for (const char byte : received) send_all(socket, {byte});
    return true;
  });
  const Talk talk = talk_to(server, 5);
  EXPECT_EQ(talk.round_trips.size(), 5U);
  EXPECT_EQ(talk.wrong_bytes, 0U);
  EXPECT_EQ(talk.disconnections.total(), 0U);
}

TEST_P(Crowds, DetectOneChangedByte) {
  Impostor server([count = 0](int socket, std::string received) mutable {
    if (++count == 3) received[50] = static_cast<char>(received[50] + 1);
    send_all(socket, received);
    return true;
  });
  EXPECT_EQ(talk_to(server, 5).wrong_bytes, 1U);
}

TEST_P(Crowds, DetectTheAnswerOfAnotherMessage) {
  std::string first;
  Impostor server([&first](int socket, const std::string& received) {
    if (first.empty()) first = received;
    send_all(socket, first);
    return true;
  });
  EXPECT_GT(talk_to(server, 2).wrong_bytes, 50U);
}

TEST_P(Crowds, DetectASurplusByte) {
  Impostor server([](int socket, const std::string& received) {
    send_all(socket, received + 'x');
    return true;
  });
  EXPECT_GE(talk_to(server, 1).wrong_bytes, 1U);
}

TEST_P(Crowds, CountAClientWhoseConnectionEndsEarly) {
  Impostor server([count = 0](int socket, const std::string& received) mutable {
    if (++count == 3) {
      send_all(socket, received.substr(0, 10));
      return false;
    }
    send_all(socket, received);
    return true;
  });
  const auto crowd = make_crowd(GetParam(), server.port(), 1, pattern_);
  const Talk talk = crowd->talk(5);
  EXPECT_EQ(talk.disconnections.closed, 1U);
  EXPECT_EQ(talk.disconnections.total(), 1U);
  EXPECT_EQ(talk.round_trips.size(), 2U);
  EXPECT_EQ(crowd->talk(5).disconnections.closed, 1U) << "it is missed in each talk";
}

TEST_P(Crowds, DistinguishAResetFromAnOrderlyEnd) {
  Impostor server([](int socket, const std::string&) {
    const linger reset = {.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    return false;
  });
  const auto crowd = make_crowd(GetParam(), server.port(), 1, pattern_);
  const Talk talk = crowd->talk(1);
  EXPECT_EQ(talk.disconnections.reset, 1U);
  EXPECT_EQ(talk.disconnections.total(), 1U);
  EXPECT_EQ(crowd->talk(1).disconnections.reset, 1U) << "the reason is kept";
}

TEST_P(Crowds, GiveUpOnAServerThatDoesNotAnswer) {
  Impostor server([count = 0](int socket, const std::string& received) mutable {
    if (++count < 3) send_all(socket, received);
    return true;  // and the connection stays
  });
  const auto crowd = make_crowd(GetParam(), server.port(), 1, pattern_,
                                {.patience = std::chrono::milliseconds(20)});
  const Talk talk = crowd->talk(5);
  EXPECT_EQ(talk.round_trips.size(), 2U);
  EXPECT_EQ(talk.disconnections.timed_out, 1U);
  EXPECT_EQ(talk.disconnections.total(), 1U);
  EXPECT_EQ(crowd->talk(5).disconnections.timed_out, 1U) << "it does not wait again";
}

TEST_P(Crowds, GiveUpOnAServerThatDoesNotReceive) {
  const Pattern large(std::size_t{64} << 20);  // more than all buffers on the way
  std::latch over(1);
  Impostor server([&over](int, const std::string&) {
    over.wait();
    return false;
  });
  const auto crowd =
      make_crowd(GetParam(), server.port(), 1, large, {.patience = std::chrono::milliseconds(20)});
  EXPECT_EQ(crowd->talk(1).disconnections.timed_out, 1U);
  over.count_down();
}

TEST(Disconnections, AreCountedByReason) {
  Disconnections lost;
  for (const int error : {0, 0, 0, ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, ENOBUFS, ENOBUFS}) {
    lost.add(error);
  }
  EXPECT_EQ(lost.closed, 3U);
  EXPECT_EQ(lost.reset, 2U) << "sending after a reset gives EPIPE";
  EXPECT_EQ(lost.timed_out, 1U);
  EXPECT_EQ(lost.others, (std::map<int, std::size_t>{{EHOSTUNREACH, 1}, {ENOBUFS, 2}}));
  Disconnections twice = lost;
  twice += lost;
  EXPECT_EQ(twice.total(), 18U);
  EXPECT_EQ(twice.other(), 6U);
}

TEST(Connection, HasTheRequestedBuffersAsTheKernelMadeThem) {
  Impostor server([](int, const std::string&) { return true; });
  const ClientOptions options = {.socket_buffer = 50'000};
  const base::Fd socket = connect_to(server.port(), options);
  const auto made = [&](int option) {
    int bytes = 0;
    socklen_t size = sizeof bytes;
    EXPECT_EQ(::getsockopt(socket.get(), SOL_SOCKET, option, &bytes, &size), 0);
    return bytes;
  };
  const SocketBuffers buffers = buffers_of_clients(options);
  EXPECT_EQ(buffers.send, made(SO_SNDBUF));
  EXPECT_EQ(buffers.receive, made(SO_RCVBUF));
  EXPECT_EQ(buffers.send, 100'000) << "Linux doubles the size";
  const SocketBuffers least = buffers_of_clients({.socket_buffer = 1});
  EXPECT_GT(least.send, 1000) << "there is a minimum";
  EXPECT_LT(least.send, 50'000);
}

TEST_P(Crowds, CannotConnectIfNobodyListens) {
  std::uint16_t port = 0;
  {
    Impostor server([](int, const std::string&) { return false; });
    port = server.port();
    EXPECT_EQ(talk_to(server, 1).disconnections.total(), 1U);
  }
  EXPECT_THROW(make_crowd(GetParam(), port, 1, pattern_), base::SystemError);
}

TEST(Pattern, DiffersBetweenClientsAndBetweenMessages) {
  const Pattern pattern(64);
  const auto text = [&](std::size_t client, std::size_t number) {
    const auto bytes = pattern.message(client, number);
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(text(3, 7), text(3, 7));
  EXPECT_NE(text(3, 7), text(3, 8));
  EXPECT_NE(text(3, 7), text(4, 7));
  EXPECT_EQ(text(1023, 1'000'000).size(), 64U);
}

}  // namespace
}  // namespace fathom::bench

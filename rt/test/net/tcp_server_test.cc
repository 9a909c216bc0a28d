// TcpServer and TcpConnection on each kind of loop, with clients in separate threads.

#include "fathom/rt/net/tcp_server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/testing/heap_bytes.h"
#include "forked.h"
#include "net/client.h"
#include "net/loops.h"

namespace fathom::rt {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using testing::kMoreThanTheKernelTakes;
using testing::pattern;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A handler whose calls are std::functions.
struct Calls final : TcpHandler {
  std::size_t on_data(TcpConnection& connection, std::span<const std::byte> data) override {
    return data_call ? data_call(connection, data) : data.size();
  }
  void on_end(TcpConnection& connection) override {
    end_call ? end_call(connection) : TcpHandler::on_end(connection);
  }
  void on_leaving(TcpConnection& connection) override {
    if (leaving_call) leaving_call(connection);
  }
  void on_sendable(TcpConnection& connection) override {
    if (sendable_call) sendable_call(connection);
  }
  void on_shut_down(TcpConnection& connection) override {
    shut_down_call ? shut_down_call(connection) : TcpHandler::on_shut_down(connection);
  }
  void on_close(TcpConnection& connection, int error) noexcept override {
    if (close_call) close_call(connection, error);
  }

  std::function<std::size_t(TcpConnection&, std::span<const std::byte>)> data_call;
  std::function<void(TcpConnection&)> leaving_call;
  std::function<void(TcpConnection&)> end_call;
  std::function<void(TcpConnection&)> sendable_call;
  std::function<void(TcpConnection&)> shut_down_call;
  std::function<void(TcpConnection&, int)> close_call;
};

// For connections on which part of kMoreThanTheKernelTakes bytes has to wait.
TcpOptions with_small_buffers() {
  TcpOptions options;
  options.listener = testing::small_listener();
  return options;
}

// A listener of the Unix domain, with an abstract address: it is not a file.
class UnixListener {
 public:
  explicit UnixListener(const std::string& suffix) {
    address_.sun_family = AF_UNIX;
    const std::string name = "fathom-test-" + std::to_string(::getpid()) + suffix;
    std::copy(name.begin(), name.end(), address_.sun_path + 1);
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    options_.listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(options_.listener, address(), size_) != 0 || ::listen(options_.listener, 10) != 0) {
      throw base::SystemError("cannot listen", errno);
    }
  }

  // For the server, which closes the listener.
  [[nodiscard]] TcpOptions options() const { return options_; }
  [[nodiscard]] Client connect() const {
    Client client = Client::of(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(client.get(), address(), size_) != 0) {
      throw base::SystemError("cannot connect", errno);
    }
    return client;
  }

 private:
  [[nodiscard]] const sockaddr* address() const {
    return reinterpret_cast<const sockaddr*>(&address_);
  }

  sockaddr_un address_ = {};
  socklen_t size_ = 0;
  TcpOptions options_;
};

std::size_t echo(TcpConnection& connection, std::span<const std::byte> data) {
  connection.send(data);
  return data.size();
}

class TcpServerTest : public ::testing::TestWithParam<testing::LoopKind> {
 protected:
  void SetUp() override {
    loop_ = GetParam().make();
    if (loop_ == nullptr) GTEST_SKIP() << GetParam().why_not();
  }

  // Starts a server; the function prepares each handler.
  TcpServer& serve(TcpOptions options, std::function<void(TcpConnection&, Calls&)> prepare) {
    server_ = std::make_unique<TcpServer>(
        *loop_, std::move(options), [prepare = std::move(prepare)](TcpConnection& connection) {
          auto handler = std::make_unique<Calls>();
          prepare(connection, *handler);
          return handler;
        });
    return *server_;
  }
  TcpServer& serve_echo(TcpOptions options = {}) {
    return serve(std::move(options), [this](TcpConnection&, Calls& calls) {
      calls.data_call = echo;
      calls.close_call = [this](TcpConnection&, int error) { ends_.push_back(error); };
    });
  }

  // Runs the loop until the client has finished and its connections are closed.
  void run_with(const std::function<void()>& client) {
    std::thread thread([&] {
      client();
      loop_->post([this] { is_over_ = true; });
    });
    while (!is_over_ || server_->connections() > 0) loop_->run_once(EventLoop::Wait::yes);
    thread.join();
    is_over_ = false;
  }

  // Runs the loop on this thread until the condition holds.
  void run_until(const std::function<bool()>& condition) {
    while (!condition()) loop_->run_once(EventLoop::Wait::yes);
  }
  // Starts a server that displaces, and that keeps a connection when it receives "keep". `got_` has
  // what was received.
  TcpServer& serve_displacing(TcpOptions options) {
    options.displace = true;
    return serve(std::move(options), [this](TcpConnection&, Calls& calls) {
      calls.data_call = [this](TcpConnection& connection, std::span<const std::byte> data) {
        if (text_of(data) == "keep") connection.keep();
        got_ += text_of(data);
        return echo(connection, data);
      };
      calls.close_call = [this](TcpConnection& connection, int error) {
        ends_.push_back(error);
        gone_.push_back(connection.id());
      };
    });
  }
  // Returns when the server has answered.
  void ask(Client& client, std::string_view text) {
    ASSERT_TRUE(client.write(text));
    run_until([this, wanted = got_.size() + text.size()] {
      return got_.size() == wanted && server_->stats().bytes_sent == wanted;
    });
    EXPECT_EQ(client.read(text.size()), text);
  }

  std::string got_;
  std::vector<TcpConnection::Id> gone_;  // in the order of their ends
  std::vector<int> ends_;  // the errors passed to on_close(), including those at the server's end
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<TcpServer> server_;
  bool is_over_ = false;
};

// ---- Sending and receiving

TEST_P(TcpServerTest, EchoesDataInPiecesOfAnySize) {
  const TcpServer& server = serve_echo();
  run_with([&] {
    Client client(server.port());
    for (const std::size_t size : {1, 64, 4096, 70'000, 5'000'000}) {
      const std::string sent = pattern(size);
      ASSERT_TRUE(client.exchange(sent) == sent) << size;
    }
  });
  EXPECT_EQ(ends_, std::vector<int>{0});
  EXPECT_EQ(server.stats().bytes_received, server.stats().bytes_sent);
}

TEST_P(TcpServerTest, ServesManyClientsAtTheSameTime) {
  const TcpServer& server = serve_echo();
  run_with([&] {
    std::vector<Client> clients;
    for (int i = 0; i < 100; ++i) clients.emplace_back(server.port());
    for (int message = 0; message < 10; ++message) {
      for (Client& client : clients) ASSERT_TRUE(client.write("hello"));
      for (Client& client : clients) ASSERT_EQ(client.read(5), "hello");
    }
  });
  EXPECT_EQ(ends_, std::vector<int>(100, 0));
  EXPECT_EQ(server.stats().accepted, 100U);
}

TEST_P(TcpServerTest, AClientThatDoesNotReadUsesAtMostTheHighMarkAndOneReceive) {
  TcpOptions options = with_small_buffers();
  options.high_mark = 100'000;
  options.low_mark = 10'000;
  std::size_t most = 0;
  bool was_congested = false;
  std::promise<void> congested;
  const TcpServer& server = serve(options, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [&](TcpConnection& connection, std::span<const std::byte> data) {
      connection.send(data);
      most = std::max(most, connection.unsent());
      EXPECT_EQ(connection.is_congested(), connection.unsent() > 100'000);
      if (connection.is_congested() && !std::exchange(was_congested, true)) congested.set_value();
      return data.size();
    };
  });
  const std::string sent = pattern(kMoreThanTheKernelTakes);
  run_with([&] {
    Client client(server.port());
    std::thread writer([&] {
      client.write(sent);
      client.end_writing();
    });
    congested.get_future().wait();
    EXPECT_TRUE(client.read_all() == sent);
    writer.join();
  });
  EXPECT_GT(most, 100'000U);
  EXPECT_LE(most, 100'000U + 65'536U);
}

TEST_P(TcpServerTest, AProducerContinuesWhenItsDataIsSent) {
  TcpOptions options = with_small_buffers();
  options.high_mark = 100'000;
  options.low_mark = 0;
  const std::string piece = pattern(10'000);
  int left = 1000;
  const auto produce = [&](TcpConnection& connection) {
    while (left > 0 && !connection.is_congested()) {
      connection.send(piece);
      if (--left == 0) connection.finish();
    }
  };
  const TcpServer& server = serve(options, [&](TcpConnection& connection, Calls& calls) {
    calls.sendable_call = produce;
    produce(connection);
  });
  run_with([&] {
    Client client(server.port());
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(client.read(piece.size()) == piece) << i;
    EXPECT_EQ(client.read(1), "");
  });
}

TEST_P(TcpServerTest, ShowsAgainUnusedBytesWithTheNextOnes) {
  std::vector<std::string> shown;
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    // Uses complete lines only.
    calls.data_call = [&](TcpConnection& connection, std::span<const std::byte> data) {
      const std::string_view text = text_of(data);
      const std::size_t end = text.rfind('\n');
      if (end == std::string_view::npos) return std::size_t{0};
      shown.emplace_back(text.substr(0, end + 1));
      connection.send("ok");
      return end + 1;
    };
  });
  run_with([&] {
    Client client(server.port());
    for (const char* piece : {"a", "b", "c\nd", "e\n"}) {
      client.write(piece);
      if (std::string_view(piece).find('\n') != std::string_view::npos) client.read(2);
    }
  });
  std::string all;
  for (const std::string& lines : shown) all += lines;
  EXPECT_EQ(all, "abc\nde\n");
}

TEST_P(TcpServerTest, EndsAConnectionWhoseBytesAreNotUsed) {
  TcpOptions options;
  options.receive_limit = 1000;
  const TcpServer& server = serve(options, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [](TcpConnection&, std::span<const std::byte>) { return std::size_t{0}; };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] {
    Client client(server.port());
    client.write(pattern(2000));
    client.read(1);
  });
  EXPECT_EQ(ends_, std::vector<int>{EMSGSIZE});
}

TEST_P(TcpServerTest, ReceivesNothingWhileItIsPaused) {
  bool paused = false;
  std::string got;
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [&](TcpConnection& connection, std::span<const std::byte> data) {
      EXPECT_FALSE(paused);
      got += text_of(data.first(1));
      paused = true;
      connection.pause();
      connection.server().loop().post([&, id = connection.id()] {
        paused = false;
        if (TcpConnection* const at = server_->find(id)) at->resume();
      });
      return std::size_t{1};
    };
  });
  run_with([&] {
    Client client(server.port());
    client.write("abc");
    client.write("def");
    client.end_writing();
    EXPECT_EQ(client.read_all(), "");
  });
  EXPECT_EQ(got, "abcdef");
}

TEST_P(TcpServerTest, ShowsTheRestToAHandlerThatPausedAndResumedWithinItsCall) {
  std::string got;
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    // Answers one request at a time, immediately.
    calls.data_call = [&](TcpConnection& connection, std::span<const std::byte> data) {
      connection.pause();
      got += text_of(data.first(1));
      connection.resume();
      return std::size_t{1};
    };
  });
  run_with([&] {
    Client client(server.port());
    client.write("abc");
    client.end_writing();
    EXPECT_EQ(client.read_all(), "");
  });
  EXPECT_EQ(got, "abc");
}

// ---- The end

TEST_P(TcpServerTest, StillSendsAfterThePeerHasEnded) {
  const std::string answer = pattern(kMoreThanTheKernelTakes);
  const TcpServer& server = serve(with_small_buffers(), [&](TcpConnection&, Calls& calls) {
    calls.end_call = [&](TcpConnection& connection) {
      connection.send(answer);
      connection.finish();
    };
  });
  run_with([&] {
    Client client(server.port());
    client.write("question");
    client.end_writing();
    EXPECT_TRUE(client.read_all() == answer);
  });
}

TEST_P(TcpServerTest, FinishesWhatItSentAndThenWaitsForThePeer) {
  const std::string answer = pattern(kMoreThanTheKernelTakes);
  const TcpServer& server =
      serve(with_small_buffers(), [&](TcpConnection& connection, Calls& calls) {
        connection.send(answer);
        connection.finish();
        connection.send("not this");
        calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
      });
  run_with([&] {
    Client client(server.port());
    // Data that the client sends meanwhile neither reaches the handler nor prevents the answer.
    EXPECT_TRUE(client.write(pattern(100'000)));
    EXPECT_TRUE(client.read_all() == answer);
  });
  EXPECT_EQ(ends_, std::vector<int>{0});
}

// A part must not be mistaken for the whole.
TEST_P(TcpServerTest, ClosingWithSomethingUnsentResetsTheConnection) {
  const TcpServer& server = serve(with_small_buffers(), [&](TcpConnection&, Calls& calls) {
    calls.data_call = [](TcpConnection& connection, std::span<const std::byte> data) {
      connection.send(pattern(kMoreThanTheKernelTakes));
      connection.close();
      return data.size();
    };
  });
  run_with([&] {
    Client client(server.port());
    client.write("x");
    EXPECT_LT(client.read_all().size(), kMoreThanTheKernelTakes);
    EXPECT_EQ(errno, ECONNRESET);
  });
}

TEST_P(TcpServerTest, ReportsThatThePeerBrokeOff) {
  const TcpServer& server = serve_echo();
  run_with([&] {
    Client client(server.port());
    client.exchange("x");
    client.reset();
  });
  EXPECT_EQ(ends_, std::vector<int>{ECONNRESET});
}

TEST_P(TcpServerTest, ReportsThatThePeerBrokeOffThoughItIsPaused) {
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [](TcpConnection& connection, std::span<const std::byte> data) {
      connection.send(data);
      connection.pause();
      return data.size();
    };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] {
    Client client(server.port());
    client.exchange("x");
    client.reset();
  });
  EXPECT_EQ(ends_, std::vector<int>{ECONNRESET});
}

TEST_P(TcpServerTest, SendingToAPeerThatHasGoneRaisesNoSignal) {
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    // The first send is answered by a reset; the second would raise the signal.
    calls.end_call = [](TcpConnection& connection) {
      connection.send("more");
      connection.send("more");
    };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] { Client(server.port()).close(); });
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_TRUE(ends_[0] == EPIPE || ends_[0] == ECONNRESET) << ends_[0];
}

TEST_P(TcpServerTest, MayBeClosedByItsHandlerInAnyCall) {
  for (const int call : {0, 1, 2}) {
    const TcpServer& server = serve({}, [&, call](TcpConnection&, Calls& calls) {
      calls.data_call = [call](TcpConnection& connection, std::span<const std::byte> data) {
        if (call == 0) connection.close();
        connection.send(data);
        if (call == 1) connection.close();
        return data.size();
      };
      calls.end_call = [](TcpConnection& connection) { connection.close(); };
      calls.close_call = [&](TcpConnection& connection, int error) {
        connection.close();
        connection.finish();
        connection.send("never sent");
        EXPECT_EQ(server_->find(connection.id()), nullptr);
        ends_.push_back(error);
      };
    });
    run_with([&] {
      Client client(server.port());
      client.write("x");
      client.end_writing();
      client.read_all();
    });
  }
  EXPECT_EQ(ends_, (std::vector<int>{0, 0, 0}));
}

TEST_P(TcpServerTest, EndsIdleConnections) {
  TcpOptions options;
  options.idle_timeout = milliseconds(1);
  const TcpServer& server = serve_echo(options);
  run_with([&] {
    Client client(server.port());
    EXPECT_EQ(client.read_all(), "");
  });
  EXPECT_EQ(ends_, std::vector<int>{ETIMEDOUT});
}

TEST_P(TcpServerTest, EndsConnectionsWhosePeerDoesNotRead) {
  TcpOptions options = with_small_buffers();
  options.write_timeout = milliseconds(1);
  const TcpServer& server = serve(options, [&](TcpConnection& connection, Calls& calls) {
    connection.send(pattern(kMoreThanTheKernelTakes));
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  std::optional<Client> client;
  run_with([&] { client.emplace(server.port()); });
  EXPECT_EQ(ends_, std::vector<int>{ETIMEDOUT});
}

// ---- Accepting

TEST_P(TcpServerTest, HasNoMoreConnectionsThanTheLimitAndTheOthersWait) {
  TcpOptions options;
  options.max_connections = 2;
  std::size_t most = 0;
  const TcpServer& server = serve(options, [&](TcpConnection&, Calls& calls) {
    most = std::max(most, server_->connections());
    calls.data_call = echo;
  });
  run_with([&] {
    std::vector<Client> clients;
    for (int i = 0; i < 10; ++i) clients.emplace_back(server.port());
    for (Client& client : clients) {
      EXPECT_EQ(client.exchange("x"), "x");
      client.close();
    }
  });
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(server.stats().accepted, 10U);
}

TEST_P(TcpServerTest, DisplacesTheOldestConnectionThatIsNotKept) {
  TcpOptions options;
  options.max_connections = 4;
  const TcpServer& server = serve_displacing(options);
  std::vector<Client> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(server.port());
    ask(clients.back(), i == 2 ? "keep" : "x");
    EXPECT_LE(server.connections(), 4U);
  }
  EXPECT_EQ(gone_, (std::vector<TcpConnection::Id>{1, 2, 4, 5}));
  EXPECT_EQ(ends_, std::vector<int>(4, ECONNABORTED));
  EXPECT_EQ(server.stats().displaced, 4U);
  ask(clients[2], "kept");
  EXPECT_EQ(clients[0].read(1), "");
  EXPECT_EQ(errno, ECONNRESET);
}

// What a connection received does not make it newer: it could send a byte from time to time.
TEST_P(TcpServerTest, DisplacesByAgeAndNotByActivity) {
  TcpOptions options;
  options.max_connections = 2;
  const TcpServer& server = serve_displacing(options);
  Client first(server.port());
  ask(first, "x");
  Client second(server.port());
  ask(second, "x");
  ask(first, "y");
  Client third(server.port());
  ask(third, "x");
  EXPECT_EQ(gone_, std::vector<TcpConnection::Id>{1});
}

TEST_P(TcpServerTest, DisplacesFinishedConnectionsFirst) {
  TcpOptions options;
  options.max_connections = 3;
  const TcpServer& server = serve_displacing(options);
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server.port());
    ask(clients.back(), "x");
  }
  server_->find(2)->finish();  // its client does not end the connection
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back(server.port());
    ask(clients.back(), "x");
  }
  EXPECT_EQ(gone_, (std::vector<TcpConnection::Id>{2, 1}));
}

// All of them are accepted in one turn of the loop, before anything is received.
TEST_P(TcpServerTest, KeepsAConnectionWhoseRequestArrivedBeforeThoseThatWouldDisplaceIt) {
  if (GetParam().name != "reactor") GTEST_SKIP() << "a guarantee of reactors only";
  TcpOptions options;
  options.max_connections = 4;
  const TcpServer& server = serve_displacing(options);
  Client owner(server.port());
  ASSERT_TRUE(owner.write("keep"));
  std::vector<Client> strangers;
  for (int i = 0; i < 20; ++i) strangers.emplace_back(server.port());
  run_until([&] { return server.stats().accepted == 21; });
  EXPECT_EQ(server.connections(), 4U);
  EXPECT_EQ(owner.read(4), "keep");
  ask(owner, "again");
}

TEST_P(TcpServerTest, KeepsAtMostThreeQuartersSoThatNewOnesAreReceivedFrom) {
  TcpOptions options;
  options.max_connections = 4;
  const TcpServer& server = serve_displacing(options);
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back(server.port());
    ask(clients.back(), "keep");
  }
  EXPECT_EQ(gone_, (std::vector<TcpConnection::Id>{4, 5}));
  clients[0].close();
  run_until([&] { return gone_.size() == 3; });
  ask(clients[5], "keep");
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back(server.port());
    ask(clients.back(), "x");
  }
  EXPECT_EQ(gone_, (std::vector<TcpConnection::Id>{4, 5, 1, 7})) << "the sixth could now be kept";
}

TEST_P(TcpServerTest, DisplacesAConnectionWhenDescriptorsRunOut) {
  if (GetParam().name != "reactor") {
    GTEST_SKIP() << "io_uring uses the limit of when it began to accept";
  }
  const TcpServer& server = serve_displacing({});
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server.port());
    ask(clients.back(), i == 0 ? "keep" : "x");
  }
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);  // the limit is of numbers, and there may be gaps below this one
  ::close(next);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  clients.emplace_back(server.port());  // takes the last one
  ask(clients.back(), "x");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(gone_, std::vector<TcpConnection::Id>{2});
  EXPECT_EQ(server.stats().refused, 0U);
  ask(clients[0], "kept");
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_P(TcpServerTest, TenThousandConnectionsDoNotLeakDescriptors) {
  const TcpServer& server = serve_echo();
  run_with([&] { Client(server.port()).exchange("x"); });
  const std::size_t before = open_descriptors();
  run_with([&] {
    for (int i = 0; i < 10'000; ++i) {
      Client client(server.port());
      if (i % 2 == 0) client.write("x");
      client.reset();  // does not leave a port in TIME_WAIT
    }
  });
  EXPECT_EQ(open_descriptors(), before);
}

TEST_P(TcpServerTest, SharesItsPortWithAnother) {
  TcpOptions options;
  options.share_port = true;
  const TcpServer& first = serve_echo(options);
  options.port = first.port();
  TcpServer second(*loop_, options, [](TcpConnection&) {
    auto handler = std::make_unique<Calls>();
    handler->data_call = echo;
    return handler;
  });
  run_with([&] {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(Client(first.port()).exchange("x"), "x");
  });
  EXPECT_EQ(first.stats().accepted + second.stats().accepted, 100U);
  EXPECT_GT(first.stats().accepted, 0U);
  EXPECT_GT(second.stats().accepted, 0U);
}

TEST_P(TcpServerTest, AcceptsAListeningSocket) {
  const UnixListener listener(GetParam().name);
  const TcpServer& server = serve_echo(listener.options());
  EXPECT_EQ(server.port(), 0);
  run_with([&] { EXPECT_EQ(listener.connect().exchange("hello"), "hello"); });
}

// On a Unix domain socket, a hang-up is reported although there is still data to receive.
TEST_P(TcpServerTest, ShowsWhatWasSentByAPeerThatLeftDuringAPause) {
  std::string got;
  const UnixListener listener(GetParam().name);
  TcpConnection::Id id = 0;
  serve(listener.options(), [&](TcpConnection& connection, Calls& calls) {
    id = connection.id();
    calls.data_call = [&](TcpConnection& at, std::span<const std::byte> data) {
      if (got.empty()) at.pause();
      got += text_of(data);
      return data.size();
    };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] {
    Client client = listener.connect();
    client.write("one ");
    std::promise<void> paused;
    std::function<void()> look = [&] { got.empty() ? loop_->post(look) : paused.set_value(); };
    loop_->post(look);
    paused.get_future().wait();
    client.write("two");
    client.close();
    loop_->post([&] {
      // Some turns in which the hang-up is reported.
      loop_->after(milliseconds(1), [&] {
        if (TcpConnection* const at = server_->find(id)) at->resume();
      });
    });
  });
  EXPECT_EQ(got, "one two");
  EXPECT_EQ(ends_, std::vector<int>{0});
}

// On a Unix domain socket, the hang-up is reported without an error: only sending fails.
TEST_P(TcpServerTest, EndsIfThePeerHangsUpWhileBytesAreUnsent) {
  const std::string text = pattern(4 * kMoreThanTheKernelTakes);
  const UnixListener listener(GetParam().name);
  TcpOptions options = listener.options();
  options.high_mark = text.size();
  std::size_t unsent = 0;
  serve(options, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [&](TcpConnection& at, std::span<const std::byte> data) {
      at.send(text);
      if (text_of(data) == "pause") at.pause();
      if (text_of(data) == "congest") at.send(text);
      if (text_of(data) == "finish") at.finish();
      unsent = at.unsent();
      return data.size();
    };
    calls.end_call = [](TcpConnection&) {};
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  for (const char* const way : {"pause", "congest", "finish", "receive"}) {
    Client client = listener.connect();
    client.write(way);
    unsent = 0;
    run_until([&] { return unsent > 0; });
    ::shutdown(client.get(), SHUT_RDWR);
    run_until([&] { return server_->connections() == 0; });
  }
  EXPECT_EQ(ends_, std::vector<int>(4, EPIPE));
}

TEST_P(TcpServerTest, DoesNotSpinOverAListenerThatWasShutDown) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::listen(listener, 10), 0);
  const int twin = ::dup(listener);
  TcpOptions options;
  options.listener = listener;
  serve_echo(options);
  ::shutdown(twin, SHUT_RDWR);
  ::close(twin);
  loop_->after(milliseconds(20), [&] { loop_->stop(); });
  loop_->run();
  EXPECT_LT(loop_->stats().waits, 100U);
}

TEST_P(TcpServerTest, RefusesASocketThatDoesNotListen) {
  TcpOptions options;
  options.listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  try {
    serve_echo(options);
    FAIL() << "it is served";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "the given socket is not listening");
  }
}

TEST_P(TcpServerTest, ReportsWhereItCannotListen) {
  const TcpServer& server = serve_echo();
  const auto message = [&](const std::string& address, std::uint16_t port) {
    TcpOptions options;
    options.address = address;
    options.port = port;
    try {
      const TcpServer other(*loop_, options, [](TcpConnection&) { return nullptr; });
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("localhost", 0),
            "'localhost' is not a numeric address such as 127.0.0.1 or ::1");
  const std::string port = std::to_string(server.port());
  EXPECT_EQ(message("127.0.0.1", server.port()), "cannot listen on 127.0.0.1 port " + port + ": " +
                                                     std::generic_category().message(EADDRINUSE));
  EXPECT_EQ(message("127.0.0.1", 0), "");
}

TEST_P(TcpServerTest, ClosesAConnectionWithoutAHandler) {
  server_ =
      std::make_unique<TcpServer>(*loop_, TcpOptions{}, [](TcpConnection&) { return nullptr; });
  run_with([&] { EXPECT_EQ(Client(server_->port()).read_all(), ""); });
}

// Measures the memory that the C library has allocated, to detect buffers that are kept.
TEST_P(TcpServerTest, AnIdleConnectionHoldsLessThanFourKilobytes) {
  if (!fathom::testing::heap_bytes()) GTEST_SKIP() << fathom::testing::kNoHeapBytes;
  constexpr std::size_t kClients = 20;
  const std::string answer = pattern(kMoreThanTheKernelTakes);
  const TcpServer& server = serve(with_small_buffers(), [&](TcpConnection&, Calls& calls) {
    calls.data_call = [&](TcpConnection& connection, std::span<const std::byte> data) {
      connection.send(answer);
      EXPECT_GT(connection.unsent(), 0U);
      return data.size();
    };
  });
  const auto in_use = [&] {
    std::promise<std::size_t> bytes;
    loop_->post([&] { bytes.set_value(*fathom::testing::heap_bytes()); });
    return bytes.get_future().get();
  };
  std::string got = answer;  // one buffer for all clients
  run_with([&] {
    std::vector<Client> clients;
    clients.reserve(kClients + 1);
    const auto add = [&] {
      clients.emplace_back(server.port());
      clients.back().write("x");
      clients.back().read_into(got);
      EXPECT_TRUE(got == answer);
    };
    add();
    const std::size_t before = in_use();
    for (std::size_t i = 0; i < kClients; ++i) add();
    EXPECT_LT(in_use(), before + kClients * 4096);
  });
}

// ---- The limit of buffers

// Sends each client more than the kernel takes when it has sent something.
class TcpBuffersTest : public TcpServerTest {
 protected:
  static constexpr std::size_t kLimit = 3 * kMoreThanTheKernelTakes;

  TcpServer& serve_limited() {
    TcpOptions options = with_small_buffers();
    options.displace = true;
    options.buffer_limit = kLimit;
    return serve(options, [this](TcpConnection&, Calls& calls) {
      calls.data_call = [this](TcpConnection& connection, std::span<const std::byte> data) {
        if (text_of(data) == "k") connection.keep();
        connection.send(answer_);
        most_ = std::max(most_, server_->buffered());
        ++answered_;
        return data.size();
      };
      calls.close_call = [this](TcpConnection& connection, int error) {
        ends_.push_back(error);
        gone_.push_back(connection.id());
      };
    });
  }
  // Asks, and does not read.
  void add(std::string_view text) {
    clients_.emplace_back(server_->port());
    clients_.back().write(text);
    run_until([this, wanted = answered_ + 1] { return answered_ == wanted; });
  }

  const std::string answer_ = pattern(kMoreThanTheKernelTakes);
  std::vector<Client> clients_;
  std::size_t most_ = 0;
  int answered_ = 0;
};

TEST_P(TcpBuffersTest, ClientsThatDoNotReadTakeNoMoreThanTheLimitTogether) {
  const TcpServer& server = serve_limited();
  for (int i = 0; i < 20; ++i) add("x");
  run_until([&] { return server.stats().overfull == ends_.size(); });
  EXPECT_GT(ends_.size(), 10U);
  EXPECT_LE(most_, kLimit + answer_.size());
  for (const int error : ends_) EXPECT_EQ(error, ENOBUFS);
  std::string got;
  std::thread reader([&] {
    got = clients_.back().read(answer_.size());
    loop_->post([this] { is_over_ = true; });
  });
  run_until([this] { return is_over_; });
  reader.join();
  EXPECT_TRUE(got == answer_) << "the newest is still served";
}

TEST_P(TcpBuffersTest, ConnectionsThatAreNotKeptEndFirst) {
  const TcpServer& server = serve_limited();
  add("k");
  for (int i = 0; i < 10; ++i) add("x");
  run_until([&] { return server.stats().overfull == ends_.size(); });
  EXPECT_GT(ends_.size(), 3U);
  EXPECT_NE(server_->find(1), nullptr);
}

TEST_P(TcpBuffersTest, NothingIsCountedForWhatIsGone) {
  const TcpServer& server = serve_limited();
  for (int i = 0; i < 10; ++i) add(i % 2 == 0 ? "k" : "x");
  EXPECT_GT(server.buffered(), 0U);
  clients_.clear();
  run_until([&] { return server.connections() == 0; });
  EXPECT_EQ(server.buffered(), 0U);
}

// Bytes that arrive one at a time, and that the handler does not use. Nothing is sent to anybody,
// so it is certain who waits longest: the kernel may take a part of an answer at any moment.
TEST_P(TcpBuffersTest, UnusedBytesCount) {
  TcpOptions options;
  options.buffer_limit = 10'000;
  const TcpServer& server = serve(options, [this](TcpConnection&, Calls& calls) {
    calls.data_call = [this](TcpConnection&, std::span<const std::byte> data) {
      most_ = std::max(most_, data.size());
      return std::size_t{0};
    };
    calls.close_call = [this](TcpConnection& connection, int error) {
      ends_.push_back(error);
      gone_.push_back(connection.id());
    };
  });
  for (int i = 0; i < 3; ++i) {
    clients_.emplace_back(server.port());
    clients_.back().write(pattern(5000));
    most_ = 0;
    run_until([this] { return most_ == 5000; });
  }
  run_until([this] { return !ends_.empty(); });
  EXPECT_EQ(ends_, std::vector<int>{ENOBUFS});
  EXPECT_EQ(gone_, std::vector<TcpConnection::Id>{1});
  EXPECT_LE(server.buffered(), 10'000U + 5000U);
}

// ---- Peers that leave while nothing is received

TEST_P(TcpServerTest, TellsOnceThatThePeerHasEndedItsStreamDuringAPause) {
  int told = 0;
  bool at_end = false;
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [](TcpConnection& connection, std::span<const std::byte> data) {
      connection.pause();
      return data.size();
    };
    calls.leaving_call = [&](TcpConnection& connection) {
      EXPECT_FALSE(at_end);
      ++told;
      connection.send("there?");
      loop_->after(milliseconds(1), [&, id = connection.id()] { server_->find(id)->resume(); });
    };
    calls.end_call = [&](TcpConnection& connection) {
      at_end = true;
      connection.finish();
    };
  });
  run_with([&] {
    Client client(server.port());
    client.write("question");
    client.end_writing();
    EXPECT_EQ(client.read_all(), "there?");
  });
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(at_end);
}

TEST_P(TcpServerTest, APeerThatIsGoneDuringAPauseIsNoticedBySending) {
  std::promise<void> paused;
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [&](TcpConnection& connection, std::span<const std::byte> data) {
      connection.pause();
      paused.set_value();
      return data.size();
    };
    calls.leaving_call = [](TcpConnection& connection) { connection.send("there?"); };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] {
    Client client(server.port());
    client.write("question");
    paused.get_future().wait();
    client.close();
  });
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_TRUE(ends_[0] == EPIPE || ends_[0] == ECONNRESET) << ends_[0];
}

TEST_P(TcpServerTest, NoticesThatThePeerEndsThoughItPausedBeforeAnythingWasReceived) {
  const TcpServer& server = serve({}, [&](TcpConnection& connection, Calls& calls) {
    connection.pause();
    calls.leaving_call = [](TcpConnection& left) { left.close(); };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] {
    Client client(server.port());
    client.end_writing();
    EXPECT_EQ(client.read_all(), "");
  });
  EXPECT_EQ(ends_, std::vector<int>{0});
}

TEST_P(TcpServerTest, ReportsThatThePeerBrokeOffThoughItPausedBeforeAnythingWasReceived) {
  std::promise<void> paused;
  const TcpServer& server = serve({}, [&](TcpConnection& connection, Calls& calls) {
    connection.pause();
    connection.server().loop().post([&] { paused.set_value(); });
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  run_with([&] {
    Client client(server.port());
    paused.get_future().wait();
    client.reset();
  });
  EXPECT_EQ(ends_, std::vector<int>{ECONNRESET});
}

// ---- The end of the server

TEST_P(TcpServerTest, ShutsDownWhenEverythingIsSentAndThePeersHaveEnded) {
  const std::string answer = pattern(kMoreThanTheKernelTakes);
  const TcpServer& server =
      serve(with_small_buffers(), [&](TcpConnection& connection, Calls& calls) {
        connection.send(answer);
        calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
        if (server_->connections() == 3) {
          server_->shut_down(std::chrono::hours(1), [&] { loop_->stop(); });
        }
      });
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back(server.port());
  std::jthread thread([&] {
    for (Client& client : clients) EXPECT_TRUE(client.read_all() == answer);
    clients.clear();
  });
  loop_->run();
  EXPECT_EQ(ends_, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_THROW(Client(server.port()), base::SystemError);
}

TEST_P(TcpServerTest, ShutsDownUnderLoadWithoutLosingData) {
  const TcpServer& server = serve_echo();
  const std::string sent = pattern(2'000'000);
  std::vector<std::thread> threads;
  base::atomic<int> busy{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Client client(server.port());
      client.exchange("x");
      if (++busy == 8) {
        loop_->post([&] { server_->shut_down(std::chrono::hours(1), [&] { loop_->stop(); }); });
      }
      const std::string got = client.exchange(sent);
      EXPECT_TRUE(got == sent.substr(0, got.size()));
    });
  }
  loop_->run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ends_.size(), 8U);
  EXPECT_EQ(server.connections(), 0U);
}

TEST_P(TcpServerTest, ClosesRemainingConnectionsAfterTheGracePeriod) {
  const TcpServer& server = serve_echo();
  Client client(server.port());
  client.write("x");
  // The connection never ends by itself.
  while (server_->connections() == 0) loop_->run_once(EventLoop::Wait::yes);
  server_->shut_down(milliseconds(1), [&] { loop_->stop(); });
  loop_->run();
  EXPECT_EQ(ends_, std::vector<int>{0});
}

TEST_P(TcpServerTest, ALongGracePeriodNeverEnds) {
  const TcpServer& server = serve_echo();
  Client client(server.port());
  run_until([&] { return server.connections() == 1; });
  server_->shut_down(std::chrono::hours(24 * 365 * 300));
  // Timers run in the order of their deadlines.
  loop_->after(std::chrono::nanoseconds(0), [&] { loop_->stop(); });
  loop_->run();
  EXPECT_EQ(server.connections(), 1U);
}

TEST_P(TcpServerTest, PendingRequestsMayBeAnsweredDuringShutDown) {
  struct Answers final : TcpHandler {
    std::size_t on_data(TcpConnection& connection, std::span<const std::byte> data) override {
      connection.server().shut_down(std::chrono::hours(1),
                                    [&loop = connection.server().loop()] { loop.stop(); });
      return data.size();
    }
    // The answer comes later, from elsewhere.
    void on_shut_down(TcpConnection& connection) override {
      TcpServer& server = connection.server();
      server.loop().post([&server, id = connection.id()] {
        TcpConnection* const at = server.find(id);
        ASSERT_NE(at, nullptr);
        at->send("answer");
        at->finish();
      });
    }
  };
  server_ = std::make_unique<TcpServer>(*loop_, TcpOptions{},
                                        [](TcpConnection&) { return std::make_unique<Answers>(); });
  std::jthread thread([&] {
    Client client(server_->port());
    client.write("question");
    EXPECT_EQ(client.read_all(), "answer");
  });
  loop_->run();
}

TEST_P(TcpServerTest, AnExceptionDuringShutDownEndsItsConnectionAndTheOthersAreShutDown) {
  int told = 0;
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    calls.shut_down_call = [&](TcpConnection& connection) {
      if (++told == 1) throw std::runtime_error("no");
      connection.finish();
    };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back(server.port());
  run_until([&] { return server.connections() == 3; });
  const auto shut_down = [&] { server_->shut_down(std::chrono::hours(1), [&] { loop_->stop(); }); };
  EXPECT_THROW(shut_down(), std::runtime_error);
  EXPECT_EQ(told, 3);
  run_until([&] { return !ends_.empty(); });
  clients.clear();
  loop_->run();
  EXPECT_EQ(ends_, (std::vector<int>{ECANCELED, 0, 0}));
}

TEST_P(TcpServerTest, DoesNotReportShutDownAfterItsDestruction) {
  serve_echo();
  server_->shut_down(std::chrono::hours(1), [] { ADD_FAILURE() << "it is gone"; });
  server_.reset();
  loop_->run_once(EventLoop::Wait::no);
}

TEST_P(TcpServerTest, MaximumTimeoutsNeverExpire) {
  TcpOptions options;
  options.idle_timeout = milliseconds::max();
  options.write_timeout = milliseconds::max();
  const TcpServer& server = serve_echo(options);
  run_with([&] { EXPECT_EQ(Client(server.port()).exchange("x"), "x"); });
  EXPECT_EQ(ends_, std::vector<int>{0});
}

TEST_P(TcpServerTest, ShutsDownImmediatelyWithoutConnections) {
  serve_echo();
  server_->shut_down(std::chrono::hours(1), [&] { loop_->stop(); });
  loop_->run();
}

TEST_P(TcpServerTest, ClosesItsConnectionsWhenItIsDestroyed) {
  const TcpServer& server = serve_echo();
  Client client(server.port());
  client.write("x");
  while (server.connections() == 0) loop_->run_once(EventLoop::Wait::yes);
  server_.reset();
  EXPECT_EQ(ends_, std::vector<int>{ECANCELED});
  // The jobs that it left find that it is gone.
  loop_->run_once(EventLoop::Wait::no);
  loop_->run_once(EventLoop::Wait::no);
}

TEST_P(TcpServerTest, AnExceptionOfAHandlerLeavesRunAndTheOthersContinue) {
  const TcpServer& server = serve({}, [&](TcpConnection&, Calls& calls) {
    calls.data_call = [](TcpConnection& connection, std::span<const std::byte> data) {
      if (text_of(data) == "throw") throw std::runtime_error("no");
      return echo(connection, data);
    };
    calls.close_call = [&](TcpConnection&, int error) { ends_.push_back(error); };
  });
  std::thread thread([&] {
    Client good(server.port());
    EXPECT_EQ(good.exchange("x"), "x");
    Client bad(server.port());
    bad.write("throw");
    EXPECT_EQ(bad.read_all(), "");
    EXPECT_EQ(good.exchange("y"), "y");
    loop_->stop();
  });
  EXPECT_THROW(loop_->run(), std::runtime_error);
  loop_->run();
  thread.join();
  ASSERT_FALSE(ends_.empty());
  EXPECT_EQ(ends_.front(), ECANCELED);
}

// ---- fork()

// The child has copies of all connections: one that is idle, and one that could not send
// everything.
TEST_P(TcpServerTest, TheServerOfTheParentGoesOnWhenAChildDestroysItsCopy) {
  const std::string sent = pattern(kMoreThanTheKernelTakes);
  const TcpServer& server = serve(with_small_buffers(), [&](TcpConnection&, Calls& calls) {
    calls.data_call = [&](TcpConnection& from, std::span<const std::byte> data) {
      if (text_of(data) == "all") return from.send(sent), data.size();
      return echo(from, data);
    };
    calls.close_call = [this](TcpConnection&, int error) { ends_.push_back(error); };
  });
  Client idle(server.port());
  Client slow(server.port());
  ASSERT_TRUE(slow.write("all"));
  run_until([&] { return server.connections() == 2 && server.stats().bytes_sent > 0; });
  EXPECT_TRUE(testing::holds_in_child([&] {
    const bool refused = testing::is_refused([&] { loop_->run(); });
    server_.reset();
    loop_->post([] {});
    loop_->stop();
    loop_.reset();
    return refused;
  }));
  EXPECT_EQ(server.connections(), 2U);
  run_with([&] {
    EXPECT_TRUE(slow.read(sent.size()) == sent);
    slow.close();
    EXPECT_EQ(idle.exchange("old"), "old");
    idle.close();
    Client late(server.port());
    EXPECT_EQ(late.exchange("new"), "new");
  });
  EXPECT_EQ(ends_, (std::vector<int>{0, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Net, TcpServerTest, ::testing::ValuesIn(testing::loop_kinds()),
                         testing::name_of_loop);
INSTANTIATE_TEST_SUITE_P(Net, TcpBuffersTest, ::testing::ValuesIn(testing::loop_kinds()),
                         testing::name_of_loop);

}  // namespace
}  // namespace fathom::rt

// Tests of the promises that every kind of server makes, from outside.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "fathom/testing/needs_loopback.h"
#include "net/client/child.h"
#include "net/client/connection.h"
#include "net/client/crowd.h"
#include "net/client/measurement.h"
#include "net/client/server_process.h"
#include "net/limits.h"
#include "net/test/hog.h"

namespace fathom::bench {

// Used by GoogleTest.
std::ostream& operator<<(std::ostream& stream, const ServerKind& kind) {
  return stream << kind.name;
}

namespace {

// A talk without any errors.
::testing::AssertionResult all_answered(Crowd& crowd, std::size_t clients, std::size_t messages) {
  const Talk talk = crowd.talk(messages);
  if (talk.disconnections.total() == 0 && talk.wrong_bytes == 0 &&
      talk.round_trips.size() == clients * messages) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << talk.disconnections.total() << " clients lost, " << talk.wrong_bytes << " bytes wrong, "
         << talk.round_trips.size() << " messages back";
}

class Servers : public ::testing::TestWithParam<ServerKind> {
 protected:
  Servers() { allow_many_descriptors(); }

  const std::string& kind() const { return GetParam().name; }
};

std::string test_name(const ::testing::TestParamInfo<ServerKind>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Servers, ::testing::ValuesIn(list_server_kinds()), test_name);

TEST_P(Servers, EchoMessagesOfAnySizeExactly) {
  for (const Crowd::Kind crowd_kind : {Crowd::Kind::threads, Crowd::Kind::epoll}) {
    for (const std::size_t size : {1, 64, 70'000}) {
      ServerProcess server(kind(), 0, {});
      const Pattern pattern(size);
      const auto crowd = make_crowd(crowd_kind, server.port(), 4, pattern);
      EXPECT_TRUE(all_answered(*crowd, 4, 100)) << size << " bytes";
      EXPECT_EQ(server.stop(), 0);
    }
  }
}

TEST_P(Servers, EchoWithMoreThreads) {
  ServerProcess server(kind(), 3, {});
  const Pattern pattern(1000);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 64, pattern);
  EXPECT_TRUE(all_answered(*crowd, 64, 20));
  EXPECT_EQ(server.stop(), 0);
}

TEST_P(Servers, EchoWithTheSmallestBuffersOfTheKernel) {
  ServerProcess server(kind(), 0, {}, 1);
  EXPECT_GT(server.buffers().send, 1) << "the kernel has a minimum";
  EXPECT_GT(server.buffers().receive, 1);
  const Pattern pattern(1000);
  const auto crowd =
      make_crowd(Crowd::Kind::threads, server.port(), 16, pattern, {.socket_buffer = 1});
  EXPECT_TRUE(all_answered(*crowd, 16, 10));
  EXPECT_EQ(server.stop(), 0);
}

TEST_P(Servers, AcceptAMessageThatFillsAllBuffersOnTheWay) {
  ServerProcess server(kind(), 0, {});
  const Pattern pattern(std::size_t{16} << 20);
  for (const Crowd::Kind crowd_kind : {Crowd::Kind::threads, Crowd::Kind::epoll}) {
    const auto crowd = make_crowd(crowd_kind, server.port(), 2, pattern);
    EXPECT_TRUE(all_answered(*crowd, 2, 2));
  }
}

TEST_P(Servers, ContinueWhenClientsVanishInTheMiddleOfAMessage) {
  ServerProcess server(kind(), 0, {});
  const Pattern pattern(70'000);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 4, pattern);
  for (std::size_t client = 0; client < 50; ++client) {
    Connection connection(connect_to(server.port()));
    connection.start(pattern.message(client, 0).first(client * 1000), {});
    connection.send();
    // Every other client resets its connection, whatever is still in transit.
    const linger reset = {.l_onoff = static_cast<int>(client % 2), .l_linger = 0};
    ::setsockopt(connection.descriptor(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  }
  EXPECT_TRUE(all_answered(*crowd, 4, 20));
  EXPECT_EQ(server.stop(), 0);
}

std::size_t resident_kib(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string word;
  std::size_t kib = 0;
  while (status >> word) {
    if (word == "VmRSS:") status >> kib;
  }
  return kib;
}

TEST_P(Servers, MakeClientsThatDoNotReadWaitAndLoseNoByte) {
  // More clients than a group of buffers could serve if each took many.
  constexpr std::size_t kHogs = 40;
  // More than a server with back pressure ever accepts.
  constexpr std::size_t kMost = std::size_t{64} << 20;
  ServerProcess server(kind(), 0, {});
  const Pattern pattern(64);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 4, pattern);
  ASSERT_TRUE(all_answered(*crowd, 4, 1));
  const std::size_t before = resident_kib(server.pid());
  std::deque<Hog> hogs;
  for (std::size_t i = 0; i < kHogs; ++i) hogs.emplace_back(server.port());
  // Each talk gives the server the time to take what it will take.
  std::size_t quiet = 0;
  while (quiet < 5) {
    bool any = false;
    for (Hog& hog : hogs) {
      if (hog.send()) any = true;
      ASSERT_LT(hog.sent(), kMost) << "the server takes whatever comes";
    }
    quiet = any ? 0 : quiet + 1;
    ASSERT_TRUE(all_answered(*crowd, 4, 10)) << "others are served meanwhile";
  }
  // A few buffers for each of them.
  EXPECT_LT(resident_kib(server.pid()) - before, std::size_t{64} * 1024);
  for (Hog& hog : hogs) {
    hog.finish();
    EXPECT_TRUE(hog.got_all_back());
  }
  EXPECT_TRUE(all_answered(*crowd, 4, 10));
  EXPECT_EQ(server.stop(), 0);
}

// A server whose output is captured. Its arguments are passed to a shell's exec.
class Overheard {
 public:
  explicit Overheard(const std::string& kind, const std::string& first = "true") {
    const std::string path =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fathom-echo-server";
    pid_ = start_child("sh", {"-c", first + "; exec \"$0\" \"$1\"", path, kind},
                       {.input = &input_.out, .output = &output_.in, .error = &error_.in});
    input_.out.reset();
    output_.in.reset();
    error_.in.reset();
    read_text(output_.out, line_, "\n");
  }

  pid_t pid() const { return pid_; }
  std::uint16_t port() const { return static_cast<std::uint16_t>(std::stoi(line_)); }

  // Waits until it ends by itself; returns its exit code.
  int wait() {
    said_ = line_;
    read_text(output_.out, said_);
    said_.erase(0, line_.size());
    read_text(error_.out, said_);
    return wait_for_child(pid_);
  }
  void close_input() { input_.in.reset(); }
  // Its output, except the port.
  const std::string& said() const { return said_; }

 private:
  Pipe input_;
  Pipe output_;
  Pipe error_;
  pid_t pid_ = -1;
  std::string line_;
  std::string said_;
};

TEST_P(Servers, RefuseClientsWhenDescriptorsRunOutAndServeTheOthers) {
#ifdef __SANITIZE_ADDRESS__
  if (kind().starts_with("thread") || kind() == "tcp-server" || kind() == "proactor") {
    GTEST_SKIP() << "UBSan needs a descriptor to examine objects with virtual functions";
  }
#endif
  Overheard server(kind(), "ulimit -n 40");
  const Pattern pattern(64);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 100, pattern);
  const Talk first = crowd->talk(1);
  EXPECT_GT(first.disconnections.total(), 60U);
  EXPECT_GT(first.round_trips.size(), 10U);
  const Talk second = crowd->talk(10);
  EXPECT_EQ(second.round_trips.size(), first.round_trips.size() * 10);
  EXPECT_EQ(second.wrong_bytes, 0U);
  server.close_input();
  EXPECT_EQ(server.wait(), 0) << server.said();
}

TEST_P(Servers, EndOnASignalWithConnectedClientsAndPrintNothing) {
  Overheard server(kind());
  const Pattern pattern(64);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 8, pattern);
  EXPECT_TRUE(all_answered(*crowd, 8, 1));
  ::kill(server.pid(), SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(server.said(), "");
}

TEST_P(Servers, LoseNoneOf1024Clients) {
  if (GetParam().most_clients != 0) GTEST_SKIP() << "this kind cannot have so many";
  if (allow_many_descriptors() < 1100) GTEST_SKIP() << "too few descriptors are allowed here";
  ServerProcess server(kind(), 0, {});
  const Pattern pattern(64);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 1024, pattern);
  EXPECT_TRUE(all_answered(*crowd, 1024, 20));
  EXPECT_EQ(server.stop(), 0);
}

TEST(ThreadPerClientServer, HasOneThreadPerClientOfAMeasurement) {
  Conditions conditions;
  conditions.kind = "thread-per-client";
  conditions.clients = 3;
  const Measurement measured = measure(conditions);
  std::set<std::string> names;
  for (const ThreadSwitches& thread : measured.server->work.threads) names.insert(thread.name);
  names.erase("acceptor");
  EXPECT_EQ(names, (std::set<std::string>{"client-1", "client-2", "client-3"}));
}

TEST(SelectServer, RefusesClientsThatItCannotWatchAndReportsItOnce) {
  if (allow_many_descriptors() < 1200) GTEST_SKIP() << "too few descriptors are allowed here";
  Overheard server("select");
  const Pattern pattern(64);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), 1100, pattern);
  const Talk talk = crowd->talk(2);
  EXPECT_GE(talk.disconnections.total(), 1100U - FD_SETSIZE);
  EXPECT_GE(talk.round_trips.size(), 2U * 1000);
  server.close_input();
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(server.said(),
            "fathom-echo-server: select() only supports descriptors below 1024 (FD_SETSIZE): "
            "refusing further clients\n");
}

}  // namespace
}  // namespace fathom::bench

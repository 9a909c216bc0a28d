// Sanitizers do not see the kernel's accesses to the memory of operations: tests check these by
// patterns. AddressSanitizer still sees accesses of the program to freed memory. ThreadSanitizer
// sees posts and wakes, which use atomics.

#include "fathom/rt/net/proactor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/rt/net/make_event_loop.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/rt/net/tcp_server.h"
#include "forked.h"
#include "net/client.h"

namespace fathom::rt {
namespace {

using testing::pattern;
using Completion = Proactor::Completion;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Two connected sockets, closed by the destructor.
class SocketPair {
 public:
  SocketPair() {
    std::array<int, 2> ends = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw base::SystemError("cannot create sockets", errno);
    }
    for (std::size_t end = 0; end < 2; ++end) ends_[end].reset(ends[end]);
  }

  int operator[](std::size_t end) const { return ends_[end].get(); }
  void close(std::size_t end) { ends_[end].reset(); }
  void write(std::size_t end, std::string_view text) const {
    ASSERT_EQ(::write(ends_[end].get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  // Writes until the socket takes no more.
  void fill(std::size_t end) const {
    const std::array<char, 4096> some = {};
    while (::send(ends_[end].get(), some.data(), some.size(), MSG_DONTWAIT) > 0) continue;
  }
  // Reads what is available.
  [[nodiscard]] std::string read(std::size_t end) const {
    std::string text;
    std::array<char, 4096> some = {};
    for (;;) {
      const ssize_t count = ::recv(ends_[end].get(), some.data(), some.size(), MSG_DONTWAIT);
      if (count <= 0) return text;
      text.append(some.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  std::array<base::Fd, 2> ends_;
};

// A listener of the Unix domain at an abstract address that the system chooses.
class LocalListener {
 public:
  explicit LocalListener(int flags = 0)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)) {
    address_.ss_family = AF_UNIX;
    if (::bind(get(), plain(), sizeof address_.ss_family) != 0 || ::listen(get(), 16) != 0 ||
        ::getsockname(get(), plain(), &size_) != 0) {
      throw base::SystemError("cannot listen", errno);
    }
  }

  [[nodiscard]] int get() const { return socket_.get(); }
  void close() { socket_.reset(); }
  [[nodiscard]] base::Fd connect() const {
    base::Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&address_), size_) != 0) {
      throw base::SystemError("cannot connect", errno);
    }
    return client;
  }

 private:
  sockaddr* plain() { return reinterpret_cast<sockaddr*>(&address_); }

  base::Fd socket_;
  sockaddr_storage address_ = {};
  socklen_t size_ = sizeof address_;
};

struct Ways {
  std::string name;
  Proactor::Options options;
};

std::vector<Ways> ways() {
  return {
      {"asTheKernelCan", {}},
      {"byAnyThread", {.one_thread = false}},
      {"oneAtATime", {.multishot = false}},
      {"withOwnBuffers", {.buffers = 0}},
      {"withTinyQueues", {.submissions = 1, .completions = 1, .buffers = 2, .buffer_bytes = 16}},
  };
}

class ProactorTest : public ::testing::TestWithParam<Ways> {
 protected:
  void SetUp() override {
    const std::string reason = Proactor::why_not();
    if (!reason.empty()) GTEST_SKIP() << reason;
    proactor_ = std::make_unique<Proactor>(GetParam().options);
  }

  template <class Done>
  void run_until(Done done) {
    while (!done()) proactor_->run_once(EventLoop::Wait::yes);
  }
  // Handles everything that is ready.
  void run_all() {
    while (proactor_->run_once(EventLoop::Wait::no)) continue;
  }

  std::unique_ptr<Proactor> proactor_;
};

std::string name_of_way(const ::testing::TestParamInfo<Ways>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Net, ProactorTest, ::testing::ValuesIn(ways()), name_of_way);

// ---- Operations

TEST_P(ProactorTest, EchoesUntilThePeerEnds) {
  SocketPair pair;
  const std::string sent = pattern(300'000);
  std::string waiting;
  bool sending = false;
  bool ended = false;
  std::string in_flight;
  const std::function<void()> send = [&] {
    if (sending || waiting.empty()) return;
    in_flight = std::exchange(waiting, {});
    sending = true;
    proactor_->send(pair[0], bytes_of(in_flight), [&](const Completion& done) {
      ASSERT_GT(done.result, 0);
      EXPECT_TRUE(done.is_last);
      sending = false;
      waiting.insert(0, in_flight.substr(static_cast<std::size_t>(done.result)));
      send();
    });
  };
  proactor_->receive(pair[0], [&](const Completion& done) {
    ended = done.is_last;
    EXPECT_EQ(ended, done.result == 0);
    EXPECT_EQ(done.bytes.size(), static_cast<std::size_t>(done.result));
    waiting += text_of(done.bytes);
    send();
  });
  std::string back;
  std::thread client([&] {
    std::size_t written = 0;
    std::array<char, 8192> some = {};
    while (back.size() < sent.size()) {
      const std::string_view rest = std::string_view(sent).substr(written);
      const ssize_t out = ::send(pair[1], rest.data(), rest.size(), MSG_DONTWAIT);
      if (out > 0) written += static_cast<std::size_t>(out);
      pollfd ready = {pair[1], POLLIN, 0};
      if (rest.empty()) ::poll(&ready, 1, -1);
      const ssize_t in = ::recv(pair[1], some.data(), some.size(), MSG_DONTWAIT);
      if (in > 0) back.append(some.data(), static_cast<std::size_t>(in));
    }
    ::shutdown(pair[1], SHUT_WR);
  });
  run_until([&] { return ended; });
  client.join();
  EXPECT_TRUE(back == sent);
}

TEST_P(ProactorTest, ReceivesOnceAndLeavesTheRest) {
  SocketPair pair;
  const std::string sent = pattern(100'000);
  pair.write(1, sent);
  std::string received;
  int calls = 0;
  const auto once = [&](const Completion& done) {
    EXPECT_TRUE(done.is_last);
    EXPECT_EQ(done.bytes.size(), static_cast<std::size_t>(done.result));
    received += text_of(done.bytes);
    ++calls;
  };
  for (int round = 1; round <= 3; ++round) {
    proactor_->receive_once(pair[0], once);
    run_until([&] { return calls == round; });
    run_all();
    EXPECT_EQ(calls, round);
  }
  EXPECT_EQ(proactor_->counts().bytes_received, received.size());
  EXPECT_GT(received.size(), 0U);
  EXPECT_LT(received.size(), sent.size());
  received += pair.read(0);
  EXPECT_TRUE(received == sent);
  // One that has to wait, and one that reads the end.
  proactor_->receive_once(pair[0], once);
  run_all();
  EXPECT_EQ(calls, 3);
  pair.write(1, "late");
  run_until([&] { return calls == 4; });
  EXPECT_EQ(received, sent + "late");
  pair.close(1);
  proactor_->receive_once(pair[0], once);
  run_until([&] { return calls == 5; });
}

TEST_P(ProactorTest, ASendCompletesWhenTheSocketHasTakenSomeBytes) {
  SocketPair pair;
  const std::string bytes = pattern(4'000'000);
  int result = 0;
  proactor_->send(pair[0], bytes_of(bytes), [&](const Completion& done) { result = done.result; });
  run_all();  // nothing is read
  EXPECT_GT(result, 0);
  EXPECT_LT(result, 4'000'000);
}

TEST_P(ProactorTest, AcceptsUntilItIsCancelled) {
  for (const int flags : {0, int{SOCK_NONBLOCK}}) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener, plain, size), 0);
    ASSERT_EQ(::listen(listener, 16), 0);
    ASSERT_EQ(::getsockname(listener, plain, &size), 0);
    std::vector<int> accepted;
    int last = 0;
    const auto accept = proactor_->accept(listener, [&](const Completion& done) {
      if (done.is_last) {
        last = done.result;
        return;
      }
      ASSERT_GE(done.result, 0);
      accepted.push_back(done.result);
    });
    std::vector<int> clients;
    for (std::size_t i = 1; i <= 10; ++i) {
      clients.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      ASSERT_EQ(::connect(clients.back(), plain, size), 0);
      if (i % 3 == 1) run_until([&] { return accepted.size() == i; });
    }
    run_until([&] { return accepted.size() == 10; });
    EXPECT_TRUE(proactor_->cancel(accept));
    EXPECT_FALSE(proactor_->cancel(accept));
    run_until([&] { return last != 0; });
    EXPECT_EQ(last, -ECANCELED);
    for (const int descriptor : accepted) {
      EXPECT_NE(::fcntl(descriptor, F_GETFL) & O_NONBLOCK, 0);
      EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
      ::close(descriptor);
    }
    for (const int client : clients) ::close(client);
    ::close(listener);
  }
}

TEST_P(ProactorTest, ReportsErrorsOfTheSystem) {
  SocketPair pair;
  std::vector<int> results;
  const auto note = [&](const Completion& done) {
    EXPECT_TRUE(done.is_last);
    results.push_back(done.result);
  };
  proactor_->accept(pair[0], note);
  run_until([&] { return results.size() == 1; });
  proactor_->receive(-1, note);
  run_until([&] { return results.size() == 2; });
  pair.close(1);
  proactor_->send(pair[0], bytes_of("x"), note);
  run_until([&] { return results.size() == 3; });
  EXPECT_LT(results[0], 0);
  EXPECT_EQ(results[1], -EBADF);
  EXPECT_EQ(results[2], -EPIPE);  // and no SIGPIPE
}

TEST_P(ProactorTest, ReportsReadinessUntilItIsCancelled) {
  SocketPair pair;
  std::vector<int> told;
  const auto ready = proactor_->ready(pair[0], POLLIN,
                                      [&](const Completion& done) { told.push_back(done.result); });
  run_all();
  EXPECT_TRUE(told.empty());
  pair.write(1, "x");
  run_until([&] { return !told.empty(); });
  EXPECT_EQ(told.back() & POLLIN, POLLIN);
  pair.close(1);
  run_until([&] { return (told.back() & POLLHUP) != 0; });
  proactor_->cancel(ready);
  run_until([&] { return told.back() == -ECANCELED; });
}

// The kernel ends such a wait immediately: to start it again would keep the loop busy for good.
TEST_P(ProactorTest, DoesNotWaitForFilesThatAreAlwaysReady) {
  std::optional<Completion> told;
  for (const char* const path : {"/dev/null", "/dev/zero", "/", "/proc/self/exe"}) {
    const base::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
    for (const short events : {short{0}, short{POLLIN}}) {
      told.reset();
      proactor_->ready(file.get(), events, [&](const Completion& done) { told = done; });
      run_until([&] { return told.has_value(); });
      EXPECT_EQ(told->result, -EPERM) << path;
      EXPECT_TRUE(told->is_last) << path;
    }
  }
}

TEST_P(ProactorTest, ReceivesOnANonBlockingSocket) {
  SocketPair pair;
  ASSERT_EQ(::fcntl(pair[0], F_SETFL, O_NONBLOCK), 0);
  std::string received;
  proactor_->receive(pair[0], [&](const Completion& done) { received += text_of(done.bytes); });
  run_all();
  pair.write(1, "late");
  run_until([&] { return received == "late"; });
}

// ---- Nothing is lost

TEST_P(ProactorTest, R4LosesNoneOfTenThousandCompletions) {
  constexpr int kOperations = 10'000;
  constexpr int kAtOnce = 100;
  SocketPair pair;
  int received = 0;
  proactor_->receive(pair[1], [&](const Completion& done) { received += done.result; });
  int sent = 0;
  for (int started = 0; started < kOperations; started += kAtOnce) {
    for (int i = 0; i < kAtOnce; ++i) {
      proactor_->send(pair[0], bytes_of("x"), [&](const Completion& done) { sent += done.result; });
    }
    run_until([&] { return sent == started + kAtOnce && received == sent; });
  }
  EXPECT_EQ(received, kOperations);
  EXPECT_EQ(sent, kOperations);
}

TEST(Proactor, R4MoreCompletionsThanTheQueueHoldsWaitInTheKernel) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  Proactor proactor({.submissions = 4, .completions = 4});
  std::vector<SocketPair> pairs(200);
  int received = 0;
  for (const SocketPair& pair : pairs) {
    proactor.receive(pair[0], [&](const Completion& done) { received += done.result; });
  }
  proactor.run_once(EventLoop::Wait::no);
  for (int round = 1; round <= 50; ++round) {
    for (const SocketPair& pair : pairs) pair.write(1, "x");
    while (received < round * 200) proactor.run_once(EventLoop::Wait::yes);
  }
  EXPECT_EQ(received, 10'000);
  EXPECT_GT(proactor.counts().overflows, 0U);
}

TEST(Proactor, R4CompletionsThatWaitInTheKernelAreNotLostIfAnotherThreadTakesOver) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  Proactor proactor({.submissions = 4, .completions = 8});
  std::vector<SocketPair> pairs(40);
  int received = 0;
  for (const SocketPair& pair : pairs) {
    proactor.receive(pair[0], [&](const Completion& done) { received += done.result; });
    pair.write(1, "x");
  }
  std::thread([&] { proactor.run_once(EventLoop::Wait::no); }).join();
  EXPECT_GT(proactor.counts().overflows, 0U);
  while (proactor.run_once(EventLoop::Wait::no)) continue;
  EXPECT_EQ(received, 40);
}

TEST(Proactor, OptionsBeyondTheLimitsOfTheKernelCountAsTheLimits) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr unsigned kMost = std::numeric_limits<unsigned>::max();
  Proactor({.submissions = 40'000});
  Proactor({.completions = 100'000});
  Proactor({.submissions = kMost, .completions = kMost});
}

TEST(Proactor, ReceivesIntoABufferOfMoreThanTheKernelFills) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  SocketPair pair;
  std::optional<Proactor> proactor;
  try {
    proactor.emplace(Proactor::Options{.buffers = 1, .buffer_bytes = std::size_t{1} << 32});
  } catch (const std::bad_alloc&) {
    GTEST_SKIP() << "the system has less than 2 GiB of memory";
  }
  int received = -1;
  proactor->receive_once(pair[0], [&](const Completion& done) { received = done.result; });
  pair.write(1, "text");
  while (received < 0) proactor->run_once(EventLoop::Wait::yes);
  EXPECT_EQ(received, 4);
}

TEST(Proactor, R5ReceivesEverythingAlthoughItRunsOutOfBuffers) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  Proactor proactor({.buffers = 2, .buffer_bytes = 16});
  constexpr std::size_t kBytes = 5'000;
  std::vector<SocketPair> pairs(5);
  std::vector<std::string> received(pairs.size());
  std::size_t ended = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    proactor.receive(pairs[i][0], [&, i](const Completion& done) {
      received[i] += text_of(done.bytes);
      if (done.is_last) ++ended;
    });
    pairs[i].write(1, pattern(kBytes));
    pairs[i].close(1);
  }
  while (ended < pairs.size()) proactor.run_once(EventLoop::Wait::yes);
  for (const std::string& all : received) EXPECT_EQ(all, pattern(kBytes));
  // If buffers cannot be shared, each operation has its own.
  if (proactor.counts().started > pairs.size()) {
    EXPECT_GT(proactor.counts().no_buffers, 0U);
    EXPECT_GT(proactor.counts().restarted, 0U);
  }
}

TEST_P(ProactorTest, AnExceptionOfACallbackLeavesRunAndTheOthersContinue) {
  std::vector<SocketPair> pairs(3);
  std::vector<std::string> received(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    proactor_->receive(pairs[i][0], [&, i](const Completion& done) {
      received[i] += text_of(done.bytes);
      throw std::runtime_error("of a callback");
    });
  }
  for (const char* const text : {"a", "b"}) {
    for (const SocketPair& pair : pairs) pair.write(1, text);
    int thrown = 0;
    while (thrown < 3) {
      try {
        proactor_->run_once(EventLoop::Wait::yes);
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
  }
  EXPECT_EQ(received, (std::vector<std::string>{"ab", "ab", "ab"}));
}

// ---- Cancelling

TEST_P(ProactorTest, R10CancellingDuringCompletionHasOneOutcome) {
  constexpr std::size_t kPairs = 16;
  for (int way = 0; way < 4; ++way) {
    std::vector<SocketPair> pairs(kPairs);
    std::vector<Proactor::Operation> operations(kPairs);
    std::vector<int> last_calls(kPairs);
    std::vector<std::string> received(kPairs);
    const auto cancel_all = [&] {
      for (const Proactor::Operation operation : operations) proactor_->cancel(operation);
    };
    for (std::size_t i = 0; i < kPairs; ++i) {
      operations[i] = proactor_->receive(pairs[i][0], [&, i](const Completion& done) {
        EXPECT_EQ(last_calls[i], 0);
        received[i] += text_of(done.bytes);
        if (done.is_last) ++last_calls[i];
        if (way == 3) cancel_all();  // some have completed in the same wait
      });
    }
    if (way == 0) cancel_all();  // before they are submitted
    if (way != 2) run_all();
    for (const SocketPair& pair : pairs) pair.write(1, "x");
    if (way == 1 || way == 2) cancel_all();  // completed; could complete immediately
    run_until([&] { return last_calls == std::vector<int>(kPairs, 1); });
    run_all();
    EXPECT_EQ(last_calls, std::vector<int>(kPairs, 1)) << way;
    // Either received or left in the socket: never both, never neither.
    for (std::size_t i = 0; i < kPairs; ++i) {
      EXPECT_EQ(received[i] + pairs[i].read(0), "x") << way;
      EXPECT_FALSE(proactor_->cancel(operations[i]));
    }
  }
}

TEST_P(ProactorTest, AnAbandonedSendDoesNotReadItsBytes) {
  SocketPair pair;
  proactor_->receive(pair[0], [](const Completion&) { FAIL() << "nothing came"; });
  const auto receive =
      proactor_->receive(pair[0], [](const Completion&) { FAIL() << "abandoned"; });
  pair.fill(0);
  auto bytes = std::make_unique<std::string>(pattern(4'000'000));
  const auto send =
      proactor_->send(pair[0], bytes_of(*bytes), [](const Completion&) { FAIL() << "abandoned"; });
  const auto owner = std::make_shared<int>(7);
  const auto queued = proactor_->receive(pair[0], [owner](const Completion&) { FAIL(); });
  proactor_->abandon(queued);
  run_all();
  EXPECT_EQ(owner.use_count(), 1);
  proactor_->abandon(send);
  proactor_->abandon(receive);
  // Overwritten, not freed: a send from freed memory would not be detected.
  bytes->assign(bytes->size(), '!');
  pair.close(0);  // the kernel still has a receive on it
  // If the send were still active, it would continue now.
  const std::string sent = pair.read(1);
  EXPECT_EQ(sent + pair.read(1), std::string(sent.size(), '\0'));
  bytes.reset();
  proactor_.reset();
}

TEST_P(ProactorTest, R7AFinishedOperationIsNotMistakenForTheNext) {
  SocketPair pair;
  bool over = false;
  const auto old = proactor_->send(pair[1], bytes_of("x"), [&](const Completion&) { over = true; });
  run_until([&] { return over; });
  std::string received;
  const auto next =
      proactor_->receive(pair[0], [&](const Completion& done) { received += text_of(done.bytes); });
  EXPECT_FALSE(proactor_->cancel(old));
  proactor_->abandon(old);
  run_until([&] { return received == "x"; });
  EXPECT_TRUE(proactor_->cancel(next));
}

TEST_P(ProactorTest, ConnectionsOfAnAbandonedAcceptAreClosed) {
  LocalListener listener;
  std::vector<base::Fd> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(listener.connect());
  int accepted = -1;
  Proactor::Operation accept;
  accept = proactor_->accept(listener.get(), [&](const Completion& done) {
    accepted = done.result;
    proactor_->abandon(accept);
  });
  run_until([&] { return accepted >= 0; });
  run_all();
  ::close(accepted);
  listener.close();
  for (const base::Fd& client : clients) {
    char byte = 0;
    const ssize_t count = ::recv(client.get(), &byte, 1, MSG_DONTWAIT);
    EXPECT_TRUE(count == 0 || errno != EAGAIN);
  }
}

// The accept waits by a poll, whose result is POLLIN instead of a descriptor: it is 1.
TEST(Proactor, ItsDestructorClosesNoDescriptorForAPollThatWasNotReported) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  static_assert(POLLIN == STDOUT_FILENO);
  const base::Fd output(::dup(STDOUT_FILENO));
  const SocketPair pair;
  const LocalListener listener(SOCK_NONBLOCK);
  base::Fd client;
  bool has_accepted = false;
  std::optional<Proactor> proactor(Proactor::Options{.multishot = false});
  proactor->accept(listener.get(), [&](const Completion& done) {
    if (done.result < 0) return;
    ::close(done.result);
    has_accepted = true;
  });
  proactor->run_once(EventLoop::Wait::no);
  // Newer kernels wait within the accept until others have taken the connections too often.
  for (int i = 0; i < 1000 && proactor->counts().restarted == 0; ++i) {
    client = listener.connect();
    const base::Fd taken(::accept(listener.get(), nullptr, nullptr));
    proactor->run_once(EventLoop::Wait::no);
  }
  if (has_accepted) GTEST_SKIP() << "the accept took the connection before it had to wait";
  if (proactor->counts().restarted == 0) GTEST_SKIP() << "the kernel always waits in the accept";
  proactor->receive(pair[0], [](const Completion&) { throw std::runtime_error("of a callback"); });
  proactor->run_once(EventLoop::Wait::no);
  pair.write(1, "x");
  client = listener.connect();
  EXPECT_THROW(proactor->run_once(EventLoop::Wait::yes), std::runtime_error);
  proactor.reset();
  const bool is_open = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  ::dup2(output.get(), STDOUT_FILENO);
  EXPECT_TRUE(is_open);
}

TEST_P(ProactorTest, R1AReusedDescriptorIsIndependentOfTheOldOne) {
  SocketPair other;
  int old_calls = 0;
  std::string received;
  for (int i = 0; i < 100; ++i) {
    SocketPair pair;
    const int number = pair[0];
    const auto old = proactor_->receive(number, [&](const Completion&) { ++old_calls; });
    run_all();
    pair.write(1, "old");
    proactor_->abandon(old);
    pair.close(0);
    SocketPair next;
    ASSERT_EQ(next[0], number);
    const auto operation =
        proactor_->receive(number, [&](const Completion& done) { received = text_of(done.bytes); });
    next.write(1, "new");
    received.clear();
    run_until([&] { return !received.empty(); });
    EXPECT_EQ(received, "new");
    proactor_->abandon(operation);
  }
  EXPECT_EQ(old_calls, 0);
}

TEST_P(ProactorTest, ACallbackMayEndItsOwnOperation) {
  SocketPair pair;
  int calls = 0;
  Proactor::Operation receive;
  const auto owner = std::make_shared<int>(7);
  receive = proactor_->receive(pair[0], [&, owner](const Completion&) {
    proactor_->abandon(receive);
    ++calls;
    EXPECT_GT(owner.use_count(), 1);  // alive while it runs
  });
  pair.write(1, "x");
  run_until([&] { return calls > 0; });
  pair.write(1, "y");
  run_all();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_P(ProactorTest, OperationsInFlightAreDestroyedWithoutACall) {
  const auto owner = std::make_shared<int>(7);
  std::vector<SocketPair> pairs(50);
  const std::string bytes = pattern(4'000'000);
  const auto untold = [owner](const Completion& done) { EXPECT_FALSE(done.is_last); };
  for (const SocketPair& pair : pairs) {
    pair.fill(0);
    proactor_->receive(pair[0], untold);
    proactor_->send(pair[0], bytes_of(bytes), untold);
  }
  run_all();
  for (const SocketPair& pair : pairs) pair.write(1, "unseen");
  proactor_.reset();
  EXPECT_EQ(owner.use_count(), 2);  // one is in `untold`
}

TEST_P(ProactorTest, ACopyInAChildStartsNothingAfterItHasAbandonedAnOperation) {
  const SocketPair pair;
  const Proactor::Operation received = proactor_->receive(pair[0], [](const Completion&) {});
  run_all();
  EXPECT_TRUE(testing::holds_in_child([&] {
    proactor_->abandon(received);
    return testing::is_refused([&] { proactor_->receive(pair[0], [](const Completion&) {}); }) &&
           testing::is_refused([&] { proactor_->on_signals({SIGUSR1}, [](int) {}); });
  }));
}

// Ends an operation in its destructor, like an object that owns a socket.
class Owner {
 public:
  Owner(Proactor& proactor, int& destroyed) : proactor_(proactor), destroyed_(destroyed) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    for (const Proactor::Operation operation : operations_) proactor_.abandon(operation);
    // These have no effect and do no harm.
    proactor_.receive(pair_[0], [](const Completion&) { FAIL() << "the loop does not run"; });
    proactor_.post([] { FAIL() << "the loop does not run"; });
    proactor_.after(std::chrono::nanoseconds(0),
                    [owner = std::move(next_)] { FAIL() << "the loop does not run"; });
    ++destroyed_;
  }

  void start() {
    pair_.fill(0);
    const auto untold = [](const Completion&) { FAIL() << "nothing came"; };
    operations_ = {proactor_.receive(pair_[0], untold),
                   proactor_.send(pair_[0], bytes_of(bytes_), untold)};
  }
  // Passes `next` to a timer in its destructor.
  void then(std::shared_ptr<Owner> next) { next_ = std::move(next); }

 private:
  Proactor& proactor_;
  int& destroyed_;
  SocketPair pair_;
  const std::string bytes_ = pattern(10'000);
  std::vector<Proactor::Operation> operations_;
  std::shared_ptr<Owner> next_;
};

TEST_P(ProactorTest, DestructorsMayAbandonOperationsWhenTheLoopIsDestroyed) {
  for (const bool runs : {false, true}) {
    int destroyed = 0;
    std::array<std::shared_ptr<Owner>, 5> owners;
    for (auto& owner : owners) {
      owner = std::make_shared<Owner>(*proactor_, destroyed);
      owner->start();
    }
    owners[0]->then(owners[4]);
    SocketPair other;
    proactor_->receive(other[0], [owner = owners[0]](const Completion&) { FAIL(); });
    if (runs) run_all();
    proactor_->post([owner = owners[1]] { FAIL(); });
    proactor_->after(std::chrono::hours(1), [owner = owners[2]] { FAIL(); });
    // It has completed, but has not been reported yet.
    proactor_->cancel(proactor_->ready(
        other[0], POLLIN, [owner = std::move(owners[3])](const Completion&) { FAIL(); }));
    owners = {};
    proactor_.reset();
    EXPECT_EQ(destroyed, 5);
    proactor_ = std::make_unique<Proactor>(GetParam().options);
  }
}

TEST_P(ProactorTest, TheDestructorOfACallbackMayPost) {
  SocketPair pair;
  const auto stop = [this](const int* number) {
    delete number;
    proactor_->post([this] { proactor_->stop(); });
  };
  const auto receive = proactor_->receive(
      pair[0], [owned = std::shared_ptr<int>(new int(7), stop)](const Completion&) { FAIL(); });
  run_all();
  proactor_->abandon(receive);
  proactor_->run();  // does not sleep
}

// ---- Threads

TEST_P(ProactorTest, R12NoWakeIsLost) {
  constexpr int kRounds = 3'000;
  constexpr int kThreads = 2;
  std::array<int, kThreads> seen = {};
  std::vector<std::thread> threads;
  int left = kThreads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // Each thread waits for its job, so that the loop goes to sleep again and again.
      for (int round = 1; round <= kRounds; ++round) {
        base::atomic<bool> done{false};
        proactor_->post([&] {
          EXPECT_EQ(++seen[t], round);
          done.store(true, base::memory_order_release);
          done.notify_one();
        });
        done.wait(false, base::memory_order_acquire);
      }
      proactor_->post([&] {
        if (--left == 0) proactor_->stop();
      });
    });
  }
  proactor_->run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, (std::array<int, kThreads>{kRounds, kRounds}));
}

TEST_P(ProactorTest, R13IsConstructedRunAndDestroyedByDifferentThreads) {
  SocketPair pair;
  std::string received;
  proactor_->receive(pair[0], [&](const Completion& done) {
    received += text_of(done.bytes);
    proactor_->stop();
  });
  pair.write(1, "a");
  std::thread([&] { proactor_->run(); }).join();
  pair.write(1, "b");
  // Another thread continues the pending operations.
  std::thread([&] { proactor_->run(); }).join();
  EXPECT_EQ(received, "ab");
  pair.fill(0);
  const std::string bytes = pattern(4'000'000);
  int result = 0;
  proactor_->send(pair[0], bytes_of(bytes), [&](const Completion& done) {
    result = done.result;
    proactor_->stop();
  });
  std::thread([&] { run_all(); }).join();
  EXPECT_EQ(result, 0);
  std::thread([&] { proactor_.reset(); }).join();
  // The kernel has released the operation and sends nothing more, although it could.
  const std::string before = pair.read(1);
  EXPECT_EQ(before + pair.read(1), std::string(before.size(), '\0'));
}

TEST(Proactor, R13ASendInProgressEndsIfAnotherThreadTakesOver) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  Proactor proactor;
  SocketPair pair;
  pair.fill(0);
  const std::string bytes = pattern(4'000'000);
  int result = 0;
  proactor.send(pair[0], bytes_of(bytes), [&](const Completion& done) {
    result = done.result;
    proactor.stop();
  });
  std::thread([&] { proactor.run_once(EventLoop::Wait::no); }).join();
  EXPECT_EQ(result, 0);
  std::string got;
  std::thread([&] {
    proactor.run_once(EventLoop::Wait::no);
    while (result == 0) {
      got += pair.read(1);
      proactor.run_once(EventLoop::Wait::no);
    }
  }).join();
  // A kernel that does not bind a ring to a thread continues to send.
  got += pair.read(1);
  got.erase(0, got.find_first_not_of('\0'));
  EXPECT_TRUE(result == -ECANCELED ? got.empty() : bytes.starts_with(got));
}

TEST_P(ProactorTest, SleepsAfterAWake) {
  std::thread([&] { proactor_->stop(); }).join();
  proactor_->run();
  run_all();
  const std::uint64_t events = proactor_->stats().events;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(proactor_->run_once(EventLoop::Wait::no));
  EXPECT_EQ(proactor_->stats().events, events);
}

// ---- Under a server

// Counts the bytes that it receives.
class Counting final : public TcpHandler {
 public:
  Counting(std::size_t& shown, const bool& pauses) : shown_(shown), pauses_(pauses) {}

  std::size_t on_data(TcpConnection& connection, std::span<const std::byte> data) override {
    shown_ += data.size();
    if (pauses_) connection.pause();
    return data.size();
  }

 private:
  std::size_t& shown_;
  const bool& pauses_;
};

// Connections whose clients send as much as the sockets take.
class PausedConnections : public ::testing::Test {
 protected:
  static constexpr std::size_t kConnections = 40;

  void SetUp() override {
    const std::string reason = Proactor::why_not();
    if (!reason.empty()) GTEST_SKIP() << reason;
    proactor_.emplace();
    TcpOptions options;
    options.listener = testing::small_listener();
    server_.emplace(*proactor_, options, [this](TcpConnection& connection) {
      ids_.push_back(connection.id());
      return std::make_unique<Counting>(shown_, pauses_);
    });
    for (std::size_t i = 0; i < kConnections; ++i) clients_.emplace_back(server_->port());
    while (ids_.size() < kConnections) proactor_->run_once(EventLoop::Wait::yes);
    run_all();
  }
  void TearDown() override { server_.reset(); }

  void run_all() {
    while (proactor_->run_once(EventLoop::Wait::no)) continue;
  }
  // Sends in turns, so that there is always more to receive.
  void send_all_that_goes() {
    const std::string some = pattern(1'000'000);
    for (bool any = true; any;) {
      any = false;
      for (const testing::Client& client : clients_) {
        const ssize_t count =
            ::sendto(client.get(), some.data(), some.size(), MSG_DONTWAIT, nullptr, 0);
        if (count <= 0) continue;
        any = true;
        sent_ += static_cast<std::size_t>(count);
      }
      run_all();
    }
  }
  // Bytes received but not passed on.
  [[nodiscard]] std::size_t kept() const { return proactor_->counts().bytes_received - shown_; }
  template <class Call>
  void for_each(Call call) {
    for (const TcpConnection::Id id : ids_) call(*server_->find(id));
  }

  std::size_t shown_ = 0;
  std::size_t sent_ = 0;
  bool pauses_ = true;
  std::optional<Proactor> proactor_;
  std::optional<TcpServer> server_;
  std::vector<TcpConnection::Id> ids_;
  std::vector<testing::Client> clients_;
};

TEST_F(PausedConnections, KeepNothingIfTheyPauseWithinACall) {
  send_all_that_goes();
  EXPECT_GT(sent_, kConnections * 8 * Proactor::Options().buffer_bytes);
  EXPECT_GT(shown_, 0U);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(PausedConnections, KeepOneBufferIfTheyPauseLaterAndShowItFirst) {
  for_each([](TcpConnection& connection) { connection.pause(); });
  send_all_that_goes();
  EXPECT_GT(sent_, kConnections * 8 * Proactor::Options().buffer_bytes);
  EXPECT_EQ(shown_, 0U);
  EXPECT_LE(kept(), kConnections * Proactor::Options().buffer_bytes);
  pauses_ = false;
  for_each([](TcpConnection& connection) { connection.resume(); });
  while (shown_ < sent_) proactor_->run_once(EventLoop::Wait::yes);
  EXPECT_EQ(shown_, sent_);
  EXPECT_EQ(kept(), 0U);
}

TEST(ProactorServer, ALargeSendProgressesWhileThePeerReadsSlowly) {
  if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  Proactor proactor;
  const std::string bytes = pattern(5 * testing::kMoreThanTheKernelTakes);
  TcpConnection* connection = nullptr;
  std::size_t shown = 0;
  bool pauses = false;
  TcpOptions options;
  options.listener = testing::small_listener();
  TcpServer server(proactor, options, [&](TcpConnection& made) {
    connection = &made;
    return std::make_unique<Counting>(shown, pauses);
  });
  testing::Client client(server.port());
  while (connection == nullptr) proactor.run_once(EventLoop::Wait::yes);
  connection->send(bytes);
  std::size_t unsent = connection->unsent();
  ASSERT_GT(unsent, 0U);
  int steps = 0;
  std::string got;
  std::string some(100'000, '\0');
  while (got.size() < bytes.size()) {
    const ssize_t count = ::recv(client.get(), some.data(), some.size(), MSG_DONTWAIT);
    if (count > 0) got.append(some, 0, static_cast<std::size_t>(count));
    proactor.run_once(EventLoop::Wait::no);
    if (std::exchange(unsent, connection->unsent()) > connection->unsent()) ++steps;
  }
  EXPECT_TRUE(got == bytes);
  // The kernel buffers at most a fifth of it.
  EXPECT_GT(steps, 5);
}

// ---- Without io_uring

class WithVariable {
 public:
  explicit WithVariable(const char* value) {
    if (const char* const before = std::getenv(kName)) before_ = before;
    ::setenv(kName, value, 1);
  }
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;
  ~WithVariable() { before_ ? ::setenv(kName, before_->c_str(), 1) : ::unsetenv(kName); }

 private:
  static constexpr const char* kName = "FATHOM_NO_IO_URING";
  std::optional<std::string> before_;
};

TEST(MakeEventLoop, FallsBackToAReactorIfTheVariableIsSet) {
  const WithVariable variable("1");
  std::string note;
  const auto loop = make_event_loop(EventLoopKind::proactor, &note);
  EXPECT_NE(dynamic_cast<Reactor*>(loop.get()), nullptr);
  EXPECT_EQ(note, "a Reactor instead of a Proactor: FATHOM_NO_IO_URING disables io_uring");
}

TEST(MakeEventLoop, CreatesThePreferredLoopWithoutANote) {
  std::string note = "old";
  EXPECT_NE(dynamic_cast<Reactor*>(make_event_loop(EventLoopKind::reactor, &note).get()), nullptr);
  EXPECT_EQ(note, "");
  for (const char* const value : {"", "0"}) {
    const WithVariable variable(value);
    if (const std::string reason = Proactor::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    const auto loop = make_event_loop(EventLoopKind::proactor, &note);
    EXPECT_NE(dynamic_cast<Proactor*>(loop.get()), nullptr);
    EXPECT_EQ(note, "");
  }
}

// From now on that system call fails with the error in this process, as in a container.
void refuse(int system_call, unsigned error) {
  std::array<sock_filter, 4> program = {{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<unsigned>(system_call)},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  }};
  const sock_fprog filter = {program.size(), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::perror("cannot install the filter");
    std::exit(1);
  }
}

void say_why_not_where(int system_call, unsigned error) {
  const WithVariable variable("");
  refuse(system_call, error);
  std::string note;
  const auto loop = make_event_loop(EventLoopKind::proactor, &note);
  loop->post([&] { loop->stop(); });
  loop->run();
  std::fprintf(stderr, "%s\n", note.c_str());
  std::exit(0);
}

TEST(MakeEventLoopDeathTest, ReportsThatIoUringIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(say_why_not_where(SYS_io_uring_setup, EPERM), ::testing::ExitedWithCode(0),
              "^a Reactor instead of a Proactor: io_uring is (refused|disabled)");
}

TEST(MakeEventLoopDeathTest, ReportsThatIoUringIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      say_why_not_where(SYS_io_uring_setup, ENOSYS), ::testing::ExitedWithCode(0),
      "^a Reactor instead of a Proactor: the kernel does not support io_uring, or hides it");
}

TEST(MakeEventLoopDeathTest, ReportsThatIoUringDoesNotWorkAfterSetUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(say_why_not_where(SYS_io_uring_enter, EPERM), ::testing::ExitedWithCode(0),
              "^a Reactor instead of a Proactor: ");
}

}  // namespace
}  // namespace fathom::rt

// A server whose system calls fail, each call in turn.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/error.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/rt/net/tcp_server.h"
#include "net/client.h"
#include "net/faulty_calls.h"

namespace fathom::rt {
namespace {

using testing::Call;
using testing::Client;
using testing::Fault;
using testing::pattern;

constexpr std::size_t kMostCalls = 40;

struct Outcome {
  std::string back;       // what the first client received
  std::vector<int> ends;  // the errors passed to on_close()
  TcpServer::Stats stats;
  bool has_come = false;  // whether the fault has occurred
};

// A client sends some 200 KB and leaves; then others come, of which at least one is served.
Outcome run(const Fault& fault) {
  Outcome outcome;
  struct Echo final : TcpHandler {
    explicit Echo(std::vector<int>& ends_in) : ends(ends_in) {}
    std::size_t on_data(TcpConnection& to, std::span<const std::byte> data) override {
      to.send(data);
      return data.size();
    }
    void on_close(TcpConnection& /*of*/, int error) noexcept override { ends.push_back(error); }
    std::vector<int>& ends;
  };
  Reactor loop;
  TcpServer server(loop, {}, [&](TcpConnection&) { return std::make_unique<Echo>(outcome.ends); });
  testing::plan(fault);
  std::thread clients([&] {
    outcome.back = Client(server.port()).exchange(pattern(200'000));
    // The fault may hit the second client, but not both of the next two.
    const bool is_served = Client(server.port()).exchange("hello") == "hello" ||
                           Client(server.port()).exchange("hello") == "hello";
    EXPECT_TRUE(is_served);
    loop.stop();
  });
  loop.run();
  clients.join();
  outcome.has_come = testing::has_come();
  testing::plan_nothing();
  outcome.stats = server.stats();
  return outcome;
}

// Runs once for each call of that kind, with the fault at that call.
void for_each_call(Call call, int error, const std::function<void(const Outcome&)>& check) {
  std::size_t number = 0;
  for (; number < kMostCalls; ++number) {
    SCOPED_TRACE("call " + std::to_string(number) + ": " +
                 (error == testing::kShort ? "short" : std::generic_category().message(error)));
    const Outcome outcome = run({call, number, error});
    if (!outcome.has_come) break;
    check(outcome);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(number, 1U) << "the call was never made";
}

TEST(Faults, ShortOrInterruptedCallsLoseNothing) {
  for (const Call call : {Call::recv, Call::send}) {
    for (const int error : {testing::kShort, EAGAIN, EINTR}) {
      for_each_call(call, error, [](const Outcome& outcome) {
        EXPECT_TRUE(outcome.back == pattern(200'000));
        // The last connection may still exist when the server ends.
        for (const int end : outcome.ends) EXPECT_TRUE(end == 0 || end == ECANCELED) << end;
      });
    }
  }
}

TEST(Faults, AnErrorEndsOnlyItsConnection) {
  for (const Call call : {Call::recv, Call::send}) {
    for (const int error : {ECONNRESET, EPIPE, ENOMEM, ENOBUFS}) {
      for_each_call(call, error, [error](const Outcome& outcome) {
        // The error may come after everything was sent, or concern the second client, which has
        // left.
        EXPECT_TRUE(outcome.back == pattern(200'000).substr(0, outcome.back.size()));
        ASSERT_FALSE(outcome.ends.empty());
        EXPECT_TRUE(outcome.ends.front() == error || outcome.back.size() == 200'000U);
      });
    }
  }
}

TEST(Faults, AcceptingContinuesAfterErrorsOfOneConnection) {
  for (const int error : {EAGAIN, EINTR, ECONNABORTED, EPROTO}) {
    for_each_call(Call::accept4, error, [](const Outcome& outcome) {
      EXPECT_TRUE(outcome.back == pattern(200'000));
      EXPECT_EQ(outcome.stats.accept_pauses, 0U);
    });
  }
}

TEST(Faults, R11WithoutDescriptorsAConnectionIsRefusedImmediately) {
  for (const int error : {EMFILE, ENFILE}) {
    const Outcome outcome = run({Call::accept4, 0, error});
    EXPECT_EQ(outcome.back, "");
    EXPECT_EQ(outcome.stats.refused, 1U);
  }
}

TEST(Faults, R11WithoutMemoryConnectionsWait) {
  for (const int error : {ENOMEM, ENOBUFS}) {
    const Outcome outcome = run({Call::accept4, 0, error});
    EXPECT_TRUE(outcome.back == pattern(200'000));
    EXPECT_EQ(outcome.stats.accept_pauses, 1U);
  }
}

TEST(Faults, AConnectionThatCannotBeWatchedIsClosedAndTheOthersContinue) {
  for (const int error : {ENOMEM, ENOSPC}) {
    for_each_call(Call::epoll_ctl, error, [](const Outcome& outcome) {
      EXPECT_TRUE(outcome.back == pattern(200'000).substr(0, outcome.back.size()));
    });
  }
}

TEST(Faults, AnInterruptedWaitContinues) {
  for_each_call(Call::epoll_wait, EINTR,
                [](const Outcome& outcome) { EXPECT_TRUE(outcome.back == pattern(200'000)); });
}

TEST(Faults, AFailedWaitLeavesRunAndMayBeRetried) {
  Reactor loop;
  testing::plan({Call::epoll_wait, 0, ENOMEM});
  EXPECT_THROW(loop.run(), base::SystemError);
  testing::plan_nothing();
  loop.stop();
  loop.run();
}

// Also after others were closed and freed.
TEST(Faults, WithoutMemoryAConnectionThatItsHandlerClosesLivesUntilTheCallReturns) {
  struct Closes final : TcpHandler {
    explicit Closes(int& destroyed_in) : destroyed(destroyed_in) {}
    Closes(const Closes&) = delete;
    Closes& operator=(const Closes&) = delete;
    ~Closes() override { ++destroyed; }
    std::size_t on_data(TcpConnection& connection, std::span<const std::byte> data) override {
      const int& count = destroyed;  // not read through this handler, if it should be gone
      {
        const Allocations::Refusal refusal;
        connection.close();
      }
      EXPECT_EQ(count, 1);
      return data.size();
    }
    int& destroyed;
  };
  int destroyed = 0;
  Reactor loop;
  auto server = std::make_unique<TcpServer>(
      loop, TcpOptions{}, [&](TcpConnection&) { return std::make_unique<Closes>(destroyed); });
  Client first(server->port());
  Client second(server->port());
  while (server->connections() < 2) loop.run_once(EventLoop::Wait::yes);
  first.close();
  while (destroyed < 1) loop.run_once(EventLoop::Wait::yes);
  second.write("x");
  while (server->connections() > 0) loop.run_once(EventLoop::Wait::yes);
  server.reset();
  EXPECT_EQ(destroyed, 2);
}

}  // namespace
}  // namespace fathom::rt

// Reactor: readiness and registrations.

#include "fathom/rt/net/reactor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/testing/heap_bytes.h"
#include "net/pipe_pair.h"

namespace fathom::rt {
namespace {

using testing::PipePair;

constexpr EventLoop::Wait kNoWait = EventLoop::Wait::no;

TEST(Reactor, ReportsThatADescriptorIsReadable) {
  Reactor reactor;
  PipePair pipe;
  unsigned told = 0;
  reactor.add(pipe.in(), Reactor::kReadable, [&](unsigned ready) { told = ready; });
  reactor.run_once(kNoWait);
  EXPECT_EQ(told, 0U);
  pipe.write();
  reactor.run_once(kNoWait);
  EXPECT_EQ(told, Reactor::kReadable);
}

TEST(Reactor, ReportsWritabilityOnlyOnRequest) {
  Reactor reactor;
  PipePair pipe;
  unsigned told = 0;
  const auto registration = reactor.add(pipe.out(), 0, [&](unsigned ready) { told = ready; });
  reactor.run_once(kNoWait);
  EXPECT_EQ(told, 0U);
  reactor.change(registration, Reactor::kWritable);
  reactor.run_once(kNoWait);
  EXPECT_EQ(told, Reactor::kWritable);
}

TEST(Reactor, ReportsHangUpsAndErrorsWithoutARequest) {
  Reactor reactor;
  PipePair read_end;
  PipePair write_end;
  unsigned told_reader = 0;
  unsigned told_writer = 0;
  reactor.add(read_end.in(), 0, [&](unsigned ready) { told_reader = ready; });
  reactor.add(write_end.out(), 0, [&](unsigned ready) { told_writer = ready; });
  read_end.close_out();
  write_end.close_in();
  reactor.run_once(kNoWait);
  EXPECT_EQ(told_reader, Reactor::kHangUp);
  EXPECT_EQ(told_writer, Reactor::kError);
}

TEST(Reactor, ReportsTheEndOfThePeersStream) {
  Reactor reactor;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  unsigned told = 0;
  const auto registration =
      reactor.add(ends[0], Reactor::kReadable, [&](unsigned ready) { told = ready; });
  ::shutdown(ends[1], SHUT_WR);
  reactor.run_once(kNoWait);
  EXPECT_EQ(told, Reactor::kReadable | Reactor::kEnded);
  reactor.remove(registration);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Reactor, ReportsALevelRepeatedlyAndAnEdgeOnce) {
  for (const auto trigger : {Reactor::Trigger::level, Reactor::Trigger::edge}) {
    Reactor reactor;
    PipePair pipe;
    int calls = 0;
    const auto registration = reactor.add(
        pipe.in(), Reactor::kReadable, [&](unsigned) { ++calls; }, trigger);
    pipe.write();
    for (int turn = 0; turn < 3; ++turn) reactor.run_once(kNoWait);
    EXPECT_EQ(calls, trigger == Reactor::Trigger::level ? 3 : 1);
    // Setting the interest again makes an edge of data that is still there.
    reactor.change(registration, Reactor::kReadable);
    reactor.run_once(kNoWait);
    EXPECT_EQ(calls, trigger == Reactor::Trigger::level ? 4 : 2);
  }
}

// R6: data that an edge-triggered callback leaves is reported again if the callback requests it.
TEST(Reactor, R6OneByteReadsOfAnEdgeMissNothing) {
  Reactor reactor;
  PipePair pipe;
  int bytes = 0;
  Reactor::Registration registration;
  registration = reactor.add(
      pipe.in(), Reactor::kReadable,
      [&](unsigned) {
        if (!pipe.read()) return;
        if (++bytes == 1000) reactor.stop();
        reactor.change(registration, Reactor::kReadable);
      },
      Reactor::Trigger::edge);
  for (int i = 0; i < 1000; ++i) pipe.write();
  reactor.run();
  EXPECT_EQ(bytes, 1000);
}

TEST(Reactor, ACallbackMayRemoveItselfAndIsDestroyedAfterwards) {
  Reactor reactor;
  PipePair pipe;
  auto owned = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = owned;
  Reactor::Registration self;
  int calls = 0;
  self = reactor.add(pipe.in(), Reactor::kReadable, [&, owned = std::move(owned)](unsigned) {
    reactor.remove(self);
    reactor.remove(self);
    EXPECT_EQ(*owned, 7);
    ++calls;
  });
  pipe.write();
  reactor.run_once(kNoWait);
  reactor.run_once(kNoWait);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(watched.expired());
}

TEST(Reactor, ARemovedRegistrationGetsNoPendingEvents) {
  Reactor reactor;
  PipePair pipes[2];
  Reactor::Registration registrations[2];
  int calls = 0;
  for (int i = 0; i < 2; ++i) {
    registrations[i] = reactor.add(pipes[i].in(), Reactor::kReadable, [&, i](unsigned) {
      ++calls;
      reactor.remove(registrations[1 - i]);
    });
    pipes[i].write();
  }
  reactor.run_once(kNoWait);
  EXPECT_EQ(calls, 1);
}

// In the batch that contains its event, the number of a closed descriptor is reused by another
// file.
TEST(Reactor, R1ALateEventDoesNotReachTheNewOwnerOfTheDescriptor) {
  Reactor reactor;
  PipePair pipes[2];
  PipePair empty;
  Reactor::Registration registrations[2];
  int calls = 0;
  for (int i = 0; i < 2; ++i) {
    registrations[i] = reactor.add(pipes[i].in(), Reactor::kReadable, [&, i](unsigned) {
      if (++calls > 1) return;
      const int other = pipes[1 - i].in();
      reactor.remove(registrations[1 - i]);
      pipes[1 - i].close_in();
      ASSERT_EQ(::fcntl(empty.in(), F_DUPFD_CLOEXEC, other), other);
      reactor.add(other, Reactor::kReadable, [](unsigned) { ADD_FAILURE() << "nothing is there"; });
      // Closed after the callback is registered.
      reactor.post([&, other] { ::close(other); });
    });
    pipes[i].write();
  }
  reactor.run_once(kNoWait);
  EXPECT_EQ(calls, 1);
}

TEST(Reactor, R1RemovingADescriptorClosedTooEarlyLeavesItsSuccessorAlone) {
  Reactor reactor;
  PipePair second;
  auto first = std::make_unique<PipePair>();
  const int number = first->in();
  const auto stale =
      reactor.add(number, Reactor::kReadable, [](unsigned) { ADD_FAILURE() << "it is closed"; });
  first.reset();
  ASSERT_EQ(::fcntl(second.in(), F_DUPFD_CLOEXEC, number), number);
  int calls = 0;
  const auto successor = reactor.add(number, Reactor::kReadable, [&](unsigned) { ++calls; });
  reactor.change(stale, Reactor::kWritable);
  reactor.remove(stale);
  second.write();
  reactor.run_once(kNoWait);
  EXPECT_EQ(calls, 1);
  reactor.remove(successor);
  ::close(number);
}

TEST(Reactor, R9OneFileMayBeRegisteredByTwoDescriptors) {
  Reactor reactor;
  PipePair pipe;
  const int twin = ::fcntl(pipe.in(), F_DUPFD_CLOEXEC, 0);
  int calls = 0;
  int twin_calls = 0;
  const auto first = reactor.add(pipe.in(), Reactor::kReadable, [&](unsigned) { ++calls; });
  const auto second = reactor.add(twin, Reactor::kReadable, [&](unsigned) { ++twin_calls; });
  pipe.write();
  reactor.run_once(kNoWait);
  reactor.remove(first);
  reactor.run_once(kNoWait);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(twin_calls, 2);
  reactor.remove(second);
  ::close(twin);
}

TEST(Reactor, NoneOfManyReadyDescriptorsStarves) {
  Reactor reactor({.events = 8});
  std::vector<std::unique_ptr<PipePair>> pipes;
  std::vector<int> calls(100);
  for (int& count : calls) {
    PipePair& pipe = *pipes.emplace_back(std::make_unique<PipePair>());
    reactor.add(pipe.in(), Reactor::kReadable, [&count](unsigned) { ++count; });
    pipe.write();
  }
  // As many turns as it takes to handle each once, and as many again.
  for (int turn = 0; turn < 26; ++turn) reactor.run_once(kNoWait);
  for (const int count : calls) EXPECT_GE(count, 2);
}

TEST(Reactor, JobsThatPostEachOtherDoNotStarveDescriptors) {
  Reactor reactor;
  PipePair pipe;
  std::function<void()> again = [&] { reactor.post(again); };
  again();
  reactor.add(pipe.in(), Reactor::kReadable, [&](unsigned) { reactor.stop(); });
  pipe.write();
  reactor.run();
}

TEST(Reactor, AnExceptionOfACallbackLosesNoOtherEvent) {
  Reactor reactor;
  PipePair pipes[5];
  int calls = 0;
  for (PipePair& pipe : pipes) {
    reactor.add(
        pipe.in(), Reactor::kReadable,
        [&](unsigned) {
          if (++calls % 2 == 1) throw std::runtime_error("no");
        },
        Reactor::Trigger::edge);
    pipe.write();
  }
  reactor.post([&] { reactor.stop(); });
  int thrown = 0;
  for (bool stopped = false; !stopped;) {
    try {
      reactor.run();
      stopped = true;
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(thrown, 3);
}

TEST(Reactor, ACallbackThatAlwaysThrowsDoesNotStarveTimers) {
  Reactor reactor;
  PipePair pipe;
  reactor.add(pipe.in(), Reactor::kReadable, [](unsigned) { throw std::runtime_error("no"); });
  pipe.write();
  reactor.after(std::chrono::milliseconds(1), [&] { reactor.stop(); });
  for (bool stopped = false; !stopped;) {
    try {
      reactor.run();
      stopped = true;
    } catch (const std::runtime_error&) {
    }
  }
}

// The destructor of what the callback owns posts a job.
TEST(Reactor, TheDestructorOfARemovedCallbackMayPost) {
  Reactor reactor;
  PipePair pipe;
  struct Stops {
    explicit Stops(Reactor& reactor_in) : reactor(reactor_in) {}
    Stops(const Stops&) = delete;
    Stops& operator=(const Stops&) = delete;
    ~Stops() {
      reactor.post([&loop = reactor] { loop.stop(); });
    }
    Reactor& reactor;
  };
  Reactor::Registration self;
  self = reactor.add(
      pipe.in(), Reactor::kReadable,
      [&, owned = std::make_shared<Stops>(reactor)](unsigned) { reactor.remove(self); });
  pipe.write();
  reactor.run();
}

TEST(Reactor, DestructorsMayRemoveRegistrationsWhenTheLoopIsDestroyed) {
  PipePair pipes[3];
  auto reactor = std::make_unique<Reactor>();
  struct Removes {
    explicit Removes(Reactor& reactor_in) : reactor(reactor_in) {}
    Removes(const Removes&) = delete;
    Removes& operator=(const Removes&) = delete;
    ~Removes() { reactor.remove(registration); }
    Reactor& reactor;
    Reactor::Registration registration;
  };
  const auto removes = [&](int i) {
    auto session = std::make_shared<Removes>(*reactor);
    session->registration = reactor->add(pipes[i].in(), Reactor::kReadable, [](unsigned) {});
    return session;
  };
  reactor->post([owned = removes(0)] {});
  reactor->after(std::chrono::hours(1), [owned = removes(1)] {});
  reactor->add(pipes[2].out(), Reactor::kWritable, [owned = removes(2)](unsigned) {});
  reactor.reset();
}

TEST(Reactor, ReportsDescriptorsThatItCannotWatch) {
  Reactor reactor;
  const auto code_of = [&](int descriptor) {
    try {
      reactor.add(descriptor, Reactor::kReadable, [](unsigned) {});
    } catch (const base::SystemError& error) {
      return error.code();
    }
    return 0;
  };
  PipePair pipe;
  EXPECT_EQ(code_of(pipe.in()), 0);
  EXPECT_EQ(code_of(pipe.in()), EEXIST);
  EXPECT_EQ(code_of(-1), EBADF);
  char name[] = "/tmp/fathom-reactor-XXXXXX";
  const int file = ::mkostemp(name, O_CLOEXEC);
  ::unlink(name);
  EXPECT_EQ(code_of(file), EPERM);
  ::close(file);
}

TEST(Reactor, TakesNoMemoryForANumberThatIsNotADescriptor) {
  const auto before = fathom::testing::heap_bytes();
  if (!before) GTEST_SKIP() << fathom::testing::kNoHeapBytes;
  Reactor reactor;
  EXPECT_THROW(reactor.add(10'000'000, Reactor::kReadable, [](unsigned) {}), base::SystemError);
  EXPECT_LT(*fathom::testing::heap_bytes() - *before, std::size_t{1} << 20);
}

TEST(Reactor, ARemovedRegistrationDoesNotReferToALaterOne) {
  Reactor reactor;
  PipePair pipe;
  const auto old = reactor.add(pipe.in(), Reactor::kReadable, [](unsigned) {});
  reactor.remove(old);
  reactor.run_once(kNoWait);
  int calls = 0;
  reactor.add(pipe.in(), Reactor::kReadable, [&](unsigned) { ++calls; });
  reactor.change(old, 0);
  reactor.remove(old);
  reactor.remove(Reactor::Registration());
  pipe.write();
  reactor.run_once(kNoWait);
  EXPECT_EQ(calls, 1);
}

TEST(Reactor, ReusesTheSlotsOfRemovedRegistrations) {
  Reactor reactor;
  PipePair pipe;
  pipe.write();
  int calls = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto registration =
        reactor.add(pipe.in(), Reactor::kReadable, [&](unsigned) { ++calls; });
    if (i % 1000 == 0) reactor.run_once(kNoWait);
    reactor.remove(registration);
  }
  EXPECT_EQ(calls, 100);
}

TEST(Reactor, CountsWhatItDoes) {
  Reactor reactor;
  PipePair pipe;
  reactor.add(pipe.in(), Reactor::kReadable, [](unsigned) {});
  pipe.write();
  reactor.after(EventLoop::Duration(0), [] {});
  reactor.post([] {});
  reactor.run_once(kNoWait);
  const EventLoop::Stats stats = reactor.stats();
  EXPECT_EQ(stats.waits, 1U);
  EXPECT_EQ(stats.timers, 1U);
  EXPECT_EQ(stats.jobs, 1U);
  EXPECT_EQ(stats.wakes, 1U);
  EXPECT_GE(stats.events, 1U);
}

}  // namespace
}  // namespace fathom::rt

// Tests of cancellation: tokens, callbacks, linked sources, deadlines, signals, std::stop_token.

#include "fathom/rt/cancel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"

namespace fathom::rt {
namespace {

using TimePoint = CancelToken::TimePoint;
using std::chrono::seconds;

TimePoint at(int second) {
  return TimePoint(seconds(second));
}

#if defined(__SANITIZE_THREAD__)
constexpr int kRaces = 500;
#else
constexpr int kRaces = 3000;
#endif

// Lets threads start at the same time.
class Start {
 public:
  explicit Start(int threads) : missing_(threads) {}
  void wait() {
    missing_.fetch_sub(1, base::memory_order_relaxed);
    while (missing_.load(base::memory_order_relaxed) > 0) std::this_thread::yield();
  }

 private:
  base::atomic<int> missing_;
};

TEST(CancelToken, ByDefaultIsNeverCancelled) {
  const CancelToken token;
  EXPECT_FALSE(token.cancelled());
  EXPECT_FALSE(token.can_be_cancelled());
  EXPECT_FALSE(token.expire(TimePoint::max()));
  EXPECT_EQ(token.deadline(), TimePoint::max());
  bool called = false;
  const CancelCallback callback(token, [&] { called = true; });
  EXPECT_FALSE(called);
}

TEST(CancelToken, StaysCancelledOnceItsSourceIsCancelled) {
  const CancelSource source;
  const CancelToken token = source.token();
  EXPECT_TRUE(token.can_be_cancelled());
  EXPECT_FALSE(token.cancelled());
  EXPECT_TRUE(source.cancel());
  EXPECT_FALSE(source.cancel());
  EXPECT_TRUE(token.cancelled());
  EXPECT_TRUE(source.cancelled());
  EXPECT_TRUE(source.token().cancelled());
}

TEST(CancelToken, CanBeCopiedAndMoved) {
  const CancelSource source;
  CancelToken first = source.token();
  CancelToken second = first;
  EXPECT_EQ(first, second);
  CancelToken third = std::move(first);
  EXPECT_EQ(first, CancelToken());  // NOLINT(bugprone-use-after-move): well-defined
  first = third;
  second = CancelToken();
  first = *&first;
  source.cancel();
  EXPECT_TRUE(first.cancelled());
  EXPECT_FALSE(second.cancelled());
  EXPECT_TRUE(third.cancelled());
}

TEST(CancelToken, OutlivesItsSource) {
  std::optional<CancelSource> source(std::in_place);
  const CancelToken token = source->token();
  source.reset();
  EXPECT_FALSE(token.cancelled());  // destroying a source does not cancel it
}

TEST(CancelSource, CopiesReferToTheSameSource) {
  CancelSource first;
  const CancelSource second = first;
  CancelSource third;
  third = second;
  first = CancelSource();
  third.cancel();
  EXPECT_TRUE(second.cancelled());
  EXPECT_FALSE(first.cancelled());
}

// ---- Callbacks

TEST(CancelCallback, RunsOnceOnTheThreadThatCancels) {
  const CancelSource source;
  int calls = 0;
  std::thread::id where;
  const CancelCallback callback(source.token(), [&] {
    ++calls;
    where = std::this_thread::get_id();
    EXPECT_TRUE(source.cancelled());
    EXPECT_FALSE(source.cancel());
  });
  EXPECT_EQ(calls, 0);
  std::thread::id canceller;
  std::thread([&] {
    canceller = std::this_thread::get_id();
    source.cancel();
  }).join();
  source.cancel();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(where, canceller);
}

TEST(CancelCallback, RunsImmediatelyIfAlreadyCancelled) {
  const CancelSource source;
  source.cancel();
  int calls = 0;
  const CancelCallback callback(source.token(), [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(CancelCallback, DoesNotRunOnceDestroyed) {
  const CancelSource source;
  int calls = 0;
  const auto count = [&] { ++calls; };
  using Callback = CancelCallback<decltype(count)>;
  std::optional<Callback> a(std::in_place, source.token(), count);
  std::optional<Callback> b(std::in_place, source.token(), count);
  std::optional<Callback> c(std::in_place, source.token(), count);
  b.reset();
  c.reset();
  c.emplace(source.token(), count);
  a.reset();
  source.cancel();
  EXPECT_EQ(calls, 1);
}

struct Step {
  std::function<void()>* function;
  void operator()() const { (*function)(); }
};

TEST(CancelCallback, MayDestroyItself) {
  std::optional<CancelSource> source(std::in_place);
  std::optional<CancelCallback<Step>> callback;
  int calls = 0;
  std::function<void()> function = [&] {
    ++calls;
    callback.reset();
    source.reset();  // the last handle except the one in use
  };
  callback.emplace(source->token(), Step{&function});
  source->cancel();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(callback);
}

TEST(CancelCallback, MayDestroyAndAddOthers) {
  const CancelSource source;
  std::optional<CancelCallback<Step>> first;
  std::optional<CancelCallback<Step>> second;
  std::optional<CancelCallback<Step>> third;
  int calls = 0;
  std::function<void()> none = [&] { ++calls; };
  std::function<void()> function = [&] {
    ++calls;
    first.reset();  // whichever runs first destroys the other
    second.reset();
    third.emplace(source.token(), Step{&none});
  };
  first.emplace(source.token(), Step{&function});
  second.emplace(source.token(), Step{&function});
  source.cancel();
  EXPECT_EQ(calls, 2);
}

TEST(CancelCallback, DestructorWaitsForTheCall) {
  const CancelSource source;
  base::atomic<bool> running{false};
  base::atomic<bool> go_on{false};
  int done = 0;  // not atomic: the destructor orders it
  auto body = [&] {
    running.store(true, base::memory_order_relaxed);
    while (!go_on.load(base::memory_order_relaxed)) std::this_thread::yield();
    done = 1;
  };
  std::optional<CancelCallback<decltype(body)>> callback(std::in_place, source.token(), body);
  std::thread canceller([&] { source.cancel(); });
  while (!running.load(base::memory_order_relaxed)) std::this_thread::yield();
  std::thread opener([&] { go_on.store(true, base::memory_order_relaxed); });
  callback.reset();
  EXPECT_EQ(done, 1);
  opener.join();
  canceller.join();
}

TEST(CancelCallback, SeesWhatHappenedBeforeTheCancellation) {
  for (int round = 0; round < kRaces; ++round) {
    const CancelSource source;
    int data = 0;  // not atomic
    int seen = -1;
    Start start(2);
    std::thread canceller([&] {
      start.wait();
      data = 42;
      source.cancel();
    });
    start.wait();
    {
      base::atomic<bool> called{false};
      const CancelCallback callback(source.token(), [&] {
        seen = data;
        called.store(true, base::memory_order_relaxed);
      });
      while (!called.load(base::memory_order_relaxed)) std::this_thread::yield();
    }
    canceller.join();
    ASSERT_EQ(seen, 42);
  }
}

TEST(CancelCallback, RemovalMayRaceWithTheCall) {
  for (int round = 0; round < kRaces; ++round) {
    std::optional<CancelSource> source(std::in_place);
    const CancelToken token = source->token();
    Start start(3);
    base::atomic<int> calls{0};
    const auto use = [&] {
      start.wait();
      for (int i = 0; i < 4; ++i) {
        // Must not be accessed after its end; ASan and TSan check that.
        auto life = std::make_unique<int>(0);
        const CancelCallback callback(token, [&calls, &life] {
          ++*life;
          calls.fetch_add(1, base::memory_order_relaxed);
        });
        auto other_life = std::make_unique<int>(0);
        const CancelCallback other(token, [&other_life] { ++*other_life; });
      }
    };
    std::thread first(use);
    std::thread second(use);
    start.wait();
    source->cancel();
    source.reset();
    first.join();
    second.join();
    ASSERT_LE(calls.load(base::memory_order_relaxed), 8);
  }
}

TEST(CancelSource, IsCancelledByExactlyOneOfManyThreads) {
  for (int round = 0; round < kRaces; ++round) {
    const CancelSource source;
    int calls = 0;
    const CancelCallback callback(source.token(), [&] { ++calls; });
    Start start(3);
    base::atomic<int> firsts{0};
    const auto cancel = [&, copy = source] {
      start.wait();
      firsts.fetch_add(copy.cancel() ? 1 : 0, base::memory_order_relaxed);
    };
    std::thread a(cancel);
    std::thread b(cancel);
    cancel();
    a.join();
    b.join();
    ASSERT_EQ(firsts.load(base::memory_order_relaxed), 1);
    ASSERT_EQ(calls, 1);
  }
}

// ---- Links

TEST(LinkedSource, IsCancelledWithItsParentButNotViceVersa) {
  const CancelSource parent;
  const CancelSource child = CancelSource::linked_to(parent.token());
  const CancelSource sibling = CancelSource::linked_to(parent.token());
  child.cancel();
  EXPECT_FALSE(parent.cancelled());
  EXPECT_FALSE(sibling.cancelled());
  int calls = 0;
  const CancelCallback callback(sibling.token(), [&] { ++calls; });
  parent.cancel();
  EXPECT_TRUE(sibling.cancelled());
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(sibling.cancel());
}

TEST(LinkedSource, IsCancelledIfItsParentIsAlreadyCancelled) {
  const CancelSource parent;
  parent.cancel();
  const CancelSource child = CancelSource::linked_to(parent.token());
  EXPECT_TRUE(child.cancelled());
  EXPECT_FALSE(child.cancel());
  int calls = 0;
  const CancelCallback callback(child.token(), [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(LinkedSource, OfTheDefaultTokenHasNoParent) {
  const CancelSource source = CancelSource::linked_to(CancelToken());
  EXPECT_FALSE(source.expire(at(0)));
  EXPECT_TRUE(source.cancel());
}

TEST(LinkedSource, IsCancelledBeforeAnyCallbackRuns) {
  const CancelSource parent;
  const CancelSource child = CancelSource::linked_to(parent.token());
  bool seen = false;
  const CancelCallback callback(parent.token(), [&] { seen = child.cancelled(); });
  parent.cancel();
  EXPECT_TRUE(seen);
}

TEST(LinkedSource, MayEndAVeryLongChain) {  // neither direction is recursive
  constexpr int kLength = 200'000;
  const CancelSource root;
  std::vector<CancelSource> chain{root};
  for (int i = 0; i < kLength; ++i) chain.push_back(CancelSource::linked_to(chain.back().token()));
  const CancelToken leaf = chain.back().token();
  std::optional<CancelToken> other(CancelSource::linked_to(leaf).token());
  chain.clear();  // the leaf keeps the whole chain alive
  EXPECT_FALSE(leaf.cancelled());
  root.cancel();
  EXPECT_TRUE(leaf.cancelled());
  EXPECT_TRUE(other->cancelled());
}

TEST(LinkedSource, IsUnlinkedWhenDestroyed) {
  const CancelSource parent;
  for (int i = 0; i < 100; ++i) {
    const CancelSource a = CancelSource::linked_to(parent.token());
    std::optional<CancelSource> b(CancelSource::linked_to(parent.token()));
    const CancelSource c = CancelSource::linked_to(parent.token());
    b.reset();
  }
  parent.cancel();
}

TEST(LinkedSource, MayBeCreatedAndDestroyedWhileItsParentIsCancelled) {
  for (int round = 0; round < kRaces; ++round) {
    const CancelSource root;
    Start start(3);
    const auto use = [&] {
      start.wait();
      for (int i = 0; i < 3; ++i) {
        const CancelSource child = CancelSource::linked_to(root.token());
        const CancelSource grandchild = CancelSource::linked_to(child.token());
        int calls = 0;
        {
          const CancelCallback callback(grandchild.token(), [&] { ++calls; });
          if (i == 1) child.cancel();
        }
        ASSERT_LE(calls, 1);
      }
      const CancelSource last = CancelSource::linked_to(root.token());
      while (!last.cancelled()) std::this_thread::yield();
    };
    std::thread first(use);
    std::thread second(use);
    start.wait();
    root.cancel();
    first.join();
    second.join();
  }
}

// ---- Deadlines

TEST(Deadline, CancelsWhenExpireIsCalledAfterIt) {
  const CancelSource source = CancelSource::with_deadline(at(10));
  int calls = 0;
  const CancelCallback callback(source.token(), [&] { ++calls; });
  EXPECT_EQ(source.token().deadline(), at(10));
  EXPECT_FALSE(source.expire(at(10) - std::chrono::nanoseconds(1)));
  EXPECT_FALSE(source.cancelled());
  EXPECT_TRUE(source.token().expire(at(10)));
  EXPECT_TRUE(source.cancelled());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(source.expire(at(0)));  // it stays cancelled
  EXPECT_EQ(calls, 1);
}

TEST(Deadline, NoneIsNeverOver) {
  const CancelSource source;
  EXPECT_FALSE(source.expire(TimePoint::max()));
  EXPECT_FALSE(CancelSource::linked_to(source.token()).expire(TimePoint::max()));
  EXPECT_FALSE(CancelSource::with_deadline(TimePoint::max()).expire(TimePoint::max()));
  EXPECT_FALSE(source.cancelled());
  EXPECT_TRUE(CancelSource::with_deadline(at(10), source.token()).expire(TimePoint::max()));
}

TEST(Deadline, DoesNotPreventAnEarlierCancellation) {
  const CancelSource source = CancelSource::with_deadline(at(10));
  EXPECT_TRUE(source.cancel());
  EXPECT_TRUE(source.expire(at(0)));
}

TEST(Deadline, OfAParentHoldsForAllDescendants) {
  const CancelSource parent = CancelSource::with_deadline(at(10));
  const CancelSource later = CancelSource::with_deadline(at(20), parent.token());
  const CancelSource sooner = CancelSource::with_deadline(at(5), parent.token());
  EXPECT_EQ(later.token().deadline(), at(10));
  EXPECT_EQ(sooner.token().deadline(), at(5));
  EXPECT_TRUE(sooner.expire(at(7)));
  EXPECT_FALSE(parent.cancelled());
  EXPECT_FALSE(later.expire(at(9)));
  EXPECT_TRUE(later.expire(at(10)));
  EXPECT_TRUE(parent.cancelled());  // which has the deadline
}

TEST(Deadline, MayBeNoticedByACallbackThatDestroysTheToken) {
  auto source = std::make_unique<CancelSource>(CancelSource::with_deadline(at(1)));
  auto token = std::make_unique<CancelToken>(source->token());
  std::optional<CancelCallback<Step>> callback;
  std::function<void()> function = [&] {
    source.reset();
    callback.reset();
    token.reset();
  };
  callback.emplace(*token, Step{&function});
  EXPECT_TRUE(token->expire(at(1)));
  EXPECT_EQ(token, nullptr);
}

// Another thread has cancelled the grandparent, but reaches this source last of many.
TEST(Deadline, IsHandledBeforeAnotherThreadGetsThere) {
  for (int round = 0; round < 20; ++round) {
    const CancelSource top;
    const CancelSource parent = CancelSource::linked_to(top.token());
    const CancelSource last = CancelSource::linked_to(parent.token());
    std::vector<CancelSource> others;
    for (int i = 0; i < 5000; ++i) others.push_back(CancelSource::linked_to(parent.token()));
    std::thread other([&] { top.cancel(); });
    while (!last.expire(TimePoint::min())) base::cpu_relax();
    EXPECT_TRUE(last.cancelled());
    other.join();
  }
}

// ---- Signals

const CancelSource* signalled = nullptr;

TEST(CancelFromSignal, SetsTheFlagAndLeavesTheRestToOtherThreads) {
  const CancelSource source;
  const CancelSource child = CancelSource::linked_to(source.token());
  const CancelSource grandchild = CancelSource::linked_to(child.token());
  int calls = 0;
  const CancelCallback callback(source.token(), [&] { ++calls; });
  const CancelCallback below(grandchild.token(), [&] { ++calls; });
  signalled = &source;
  const auto before = std::signal(SIGUSR1, [](int) { signalled->cancel_from_signal(); });
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, before);
  EXPECT_TRUE(source.cancelled());
  EXPECT_FALSE(child.cancelled());
  EXPECT_EQ(calls, 0);
  EXPECT_FALSE(source.cancel_from_signal());
  EXPECT_TRUE(grandchild.expire(at(0)));  // also follows up for its ancestors
  EXPECT_TRUE(child.cancelled());
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(source.cancel());
}

TEST(CancelFromSignal, IsFollowedUpByCancel) {
  const CancelSource source;
  EXPECT_TRUE(source.cancel_from_signal());
  int calls = 0;
  const CancelCallback at_once(source.token(), [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(source.cancel());
  EXPECT_EQ(calls, 1);
}

// ---- std::stop_token

TEST(StopToken, CancelsALinkedSource) {
  std::stop_source stop;
  CancelSource source = CancelSource::linked_to(stop.get_token());
  const CancelToken token = source.token();
  int calls = 0;
  const CancelCallback callback(token, [&] { ++calls; });
  source = CancelSource();  // the token keeps the link
  EXPECT_FALSE(token.cancelled());
  stop.request_stop();
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(CancelSource::linked_to(stop.get_token()).cancelled());
  EXPECT_FALSE(CancelSource::linked_to(std::stop_token()).cancelled());
}

TEST(StopToken, MayDestroyTheSourceThatItCancels) {
  std::stop_source stop;
  std::optional<CancelSource> source(CancelSource::linked_to(stop.get_token()));
  std::optional<CancelCallback<Step>> callback;
  std::function<void()> function = [&] {
    source.reset();
    callback.reset();
  };
  callback.emplace(source->token(), Step{&function});
  EXPECT_TRUE(stop.request_stop());
  EXPECT_FALSE(callback);
}

TEST(StopToken, MayBeStoppedWhileTheSourceIsDestroyed) {
  for (int round = 0; round < kRaces; ++round) {
    std::stop_source stop;
    Start start(2);
    std::thread stopper([&] {
      start.wait();
      stop.request_stop();
    });
    std::optional<CancelSource> source(CancelSource::linked_to(stop.get_token()));
    start.wait();
    source.reset();
    stopper.join();
  }
}

TEST(StopLink, StopsWhenTheTokenIsCancelled) {
  const CancelSource source;
  std::stop_token kept;
  {
    const StopLink gone(source.token());
    kept = gone.token();
  }
  const StopLink link(source.token());
  std::jthread thread([stop = link.token()] {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  EXPECT_FALSE(link.token().stop_requested());
  source.cancel();
  EXPECT_TRUE(link.token().stop_requested());
  EXPECT_FALSE(kept.stop_requested());
  EXPECT_TRUE(StopLink(source.token()).token().stop_requested());
}

TEST(StopLink, WorksInBothDirections) {
  const CancelSource source;
  const StopLink link(source.token());
  const CancelSource back = CancelSource::linked_to(link.token());
  source.cancel();
  EXPECT_TRUE(back.cancelled());
}

}  // namespace
}  // namespace fathom::rt

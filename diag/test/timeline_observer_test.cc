// Tests of the traces of executors and event loops.

#include "fathom/diag/timeline_observer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <latch>
#include <string>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/diag/span.h"
#include "fathom/diag/timeline.h"
#include "fathom/diag/timeline_loop_observer.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/rt/task_group.h"
#include "parsed_trace.h"

namespace fathom::diag {
namespace {

constexpr unsigned kWorkers = 3;
// With a deadline, a thread that waits leaves all tasks to the workers.
constexpr std::chrono::hours kAsleep{1};

std::string traced(const std::function<void(const TimelineObserver&)>& work) {
  std::string json;
  Timeline timeline([&](std::string_view text) { json += text; });
  const TimelineObserver observer;
  work(observer);
  EXPECT_EQ(timeline.stop().lost, 0U);
  return json;
}

// Runs a task on every worker at the same time.
void occupy_all(rt::Executor& executor) {
  base::atomic<unsigned> there{0};
  rt::TaskGroup group(executor);
  for (unsigned i = 0; i < kWorkers; ++i) {
    group.run([&] {
      there.fetch_add(1, base::memory_order_relaxed);
      while (there.load(base::memory_order_relaxed) < kWorkers) base::cpu_relax();
    });
  }
  EXPECT_TRUE(group.wait_for(kAsleep));
}

TEST(TimelineObserver, GivesEveryWorkerATrackWithItsTasks) {
  const ParsedTrace trace(traced([](const TimelineObserver& observer) {
    rt::Executor executor({.threads = kWorkers, .name = "team", .observer = &observer});
    occupy_all(executor);
  }));
  EXPECT_EQ(trace.named("task").size(), kWorkers);
  for (unsigned i = 0; i < kWorkers; ++i) {
    const std::uint32_t track = trace.track_named("team/" + std::to_string(i));
    ASSERT_NE(track, 0U) << i;
    EXPECT_GE(trace.named("task", track).size(), 1U) << i;
  }
  EXPECT_TRUE(trace.nests());
}

TEST(TimelineObserver, ShowsTasksWithinWaitingTasks) {
  const ParsedTrace trace(traced([](const TimelineObserver& observer) {
    rt::Executor executor({.threads = 2, .observer = &observer});
    rt::TaskGroup outer(executor);
    outer.run([&] {
      rt::TaskGroup inner(executor);
      for (int i = 0; i < 100; ++i) inner.run([] {});
      inner.wait();
    });
    EXPECT_TRUE(outer.wait_for(kAsleep));
  }));
  EXPECT_EQ(trace.named("task").size(), 101U);
  EXPECT_TRUE(trace.nests());
}

TEST(TimelineObserver, DrawsAnArrowFromTheVictimToTheThief) {
  const ParsedTrace trace(traced([](const TimelineObserver& observer) {
    rt::Executor executor({.threads = 2, .observer = &observer});
    rt::TaskGroup group(executor);
    group.run([&] {
      // This worker does nothing else, so only a thief can run it.
      base::atomic<bool> stolen{false};
      rt::TaskGroup inner(executor);
      inner.run([&] { stolen.store(true, base::memory_order_relaxed); });
      while (!stolen.load(base::memory_order_relaxed)) base::cpu_relax();
      inner.wait();
    });
    EXPECT_TRUE(group.wait_for(kAsleep));
  }));
  const auto steals = trace.named("steal");
  ASSERT_EQ(steals.size(), 3U) << "the instant, and both ends of the arrow";
  EXPECT_EQ(steals[0].phase, 'i');
  EXPECT_EQ(steals[0].number, 1U);
  EXPECT_EQ(steals[1].phase, 's');
  EXPECT_EQ(steals[2].phase, 'f');
  EXPECT_EQ(steals[2].track, steals[0].track);
  EXPECT_NE(steals[1].track, steals[0].track);
  EXPECT_NE(trace.tracks.find(steals[1].track), trace.tracks.end());
}

TEST(TimelineObserver, ArrowsBelongToTheRunningTimeline) {
  const TimelineObserver observer;
  std::latch both_stole(1);
  std::latch second_runs(1);
  std::latch started(1);
  std::latch recorded(1);
  std::string json;
  std::thread victim;
  {
    Timeline first([](std::string_view) {});
    victim = std::thread([&] {
      observer.thread_starts("team", 0);
      started.count_down();
      second_runs.wait();
      observer.task_ends(observer.task_begins());
      recorded.count_down();
      both_stole.wait();
    });
    started.wait();
  }
  Timeline second([&](std::string_view text) { json += text; });
  // On this timeline other threads get the first numbers.
  for (int i = 0; i < 3; ++i) std::thread([] { instant("other"); }).join();
  const auto steal = [&] {
    observer.thread_starts("team", 1);
    observer.stolen(0, 2);
    observer.thread_ends();
  };
  std::thread(steal).join();  // the victim has no track yet; its number belongs to another thread
  second_runs.count_down();
  recorded.wait();
  std::thread(steal).join();
  both_stole.count_down();
  victim.join();
  second.stop();
  const ParsedTrace trace(json);
  const auto steals = trace.named("steal");
  ASSERT_EQ(steals.size(), 4U) << "two instants, and both ends of the second's arrow";
  const auto begin = std::find_if(steals.begin(), steals.end(),
                                  [](const ParsedEvent& event) { return event.phase == 's'; });
  ASSERT_NE(begin, steals.end());
  EXPECT_EQ(begin->track, trace.track_named("team/0"));
}

TEST(TimelineObserver, AnExecutorMayBeOlderThanTheTimeline) {
  const TimelineObserver observer;
  std::latch runs(1);
  std::latch recorded(1);
  std::latch over(1);
  std::thread victim([&] {
    observer.thread_starts("team", 0);
    runs.wait();
    observer.task_ends(observer.task_begins());
    recorded.count_down();
    over.wait();
  });
  std::string json;
  Timeline timeline([&](std::string_view text) { json += text; });
  runs.count_down();
  recorded.wait();
  observer.stolen(0, 1);
  over.count_down();
  victim.join();
  timeline.stop();
  const ParsedTrace trace(json);
  const auto steals = trace.named("steal");
  ASSERT_EQ(steals.size(), 3U) << "the instant, and both ends of the arrow";
  EXPECT_EQ(steals[1].phase, 's');
  EXPECT_EQ(steals[1].track, trace.track_named("team/0"));
}

TEST(TimelineObserver, RecordsNothingIfNoTimelineRuns) {
  const TimelineObserver observer;
  EXPECT_EQ(observer.task_begins(), 0U);
  EXPECT_EQ(observer.park_begins(), 0U);
  const ParsedTrace trace(traced([&](const TimelineObserver&) {
    observer.task_ends(0);
    observer.park_ends(0);
    observer.phase_ends("phase", 0);
  }));
  EXPECT_TRUE(trace.events.empty());
}

TEST(TimelineObserver, ShowsPhasesAndFigures) {
  const ParsedTrace trace(traced([](const TimelineObserver& observer) {
    const rt::ObservedPhase outer(&observer, "outer");
    const rt::ObservedPhase inner(&observer, "inner");
    observer.counts("entries", 3);
  }));
  EXPECT_EQ(trace.named("outer").size(), 1U);
  EXPECT_EQ(trace.named("inner").size(), 1U);
  EXPECT_EQ(trace.named("entries").front().number, 3U);
  EXPECT_TRUE(trace.nests());
}

TEST(TimelineLoopObserver, ShowsEachWaitAndTheTurnAfterIt) {
  rt::EventLoop::Stats stats;
  const ParsedTrace trace(traced([&](const TimelineObserver&) {
    TimelineLoopObserver observer;
    rt::Reactor loop;
    loop.observe(&observer);
    for (int i = 0; i < 5; ++i) loop.post([] {});
    loop.after(std::chrono::milliseconds(1), [&] { loop.stop(); });
    loop.run();
    stats = loop.stats();
  }));
  EXPECT_EQ(trace.named("wait").size(), stats.waits);
  EXPECT_EQ(trace.named("turn").size(), stats.waits);
  EXPECT_TRUE(trace.nests());
}

}  // namespace
}  // namespace fathom::diag

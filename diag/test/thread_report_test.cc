// Tests of the parsers of /proc files and of the report of threads.

#include "fathom/diag/thread_report.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "exit_code_of_child.h"
#include "fathom/base/atomic.h"
#include "fathom/diag/thread_observer.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"
#include "threads/proc_files.h"

namespace fathom::diag {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::vector<ThreadUsage> threads_called(const std::string& name) {
  std::vector<ThreadUsage> found;
  for (const ThreadUsage& thread : thread_report().threads) {
    if (thread.name == name) found.push_back(thread);
  }
  return found;
}

// ---- Parsing the system's files

TEST(ProcFiles, SchedstatHasTheCpuTimeAndTheRunDelay) {
  ThreadUsage usage;
  read_schedstat("123456789 4567 89\n", usage);
  EXPECT_EQ(usage.processor, nanoseconds(123'456'789));
  EXPECT_EQ(usage.run_delay, nanoseconds(4567));
}

TEST(ProcFiles, MissingFieldsAreUnknown) {
  ThreadUsage usage;
  read_schedstat("", usage);
  read_schedstat("12", usage);
  read_schedstat("12 x 1", usage);
  read_stat("", 100, usage);
  read_stat("12 (name", 100, usage);
  read_status("", usage);
  read_status("voluntary_ctxt_switches:\n", usage);
  EXPECT_FALSE(usage.processor || usage.run_delay || usage.user || usage.minor_faults ||
               usage.voluntary_switches);
}

TEST(ProcFiles, StatFieldsAreCountedFromTheEndOfTheName) {
  ThreadUsage usage;
  // A name may contain blanks and parentheses.
  read_stat("7 (a) b (1 2) R 1 7 7 0 -1 4194304 85 0 3 0 12 34 0 0 20 0 1 0 5 6 7\n", 100, usage);
  EXPECT_EQ(usage.name, "a) b (1 2");
  EXPECT_FALSE(usage.ended);
  EXPECT_EQ(usage.minor_faults, 85U);
  EXPECT_EQ(usage.major_faults, 3U);
  EXPECT_EQ(usage.user, milliseconds(120));
  EXPECT_EQ(usage.system, milliseconds(340));
  EXPECT_EQ(usage.processor, milliseconds(460));
  EXPECT_EQ(usage.started, milliseconds(50));
}

TEST(ProcFiles, StatusHasTheSwitches) {
  ThreadUsage usage;
  read_status(
      "Name:\tx\nThreads:\t1\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t34\n",
      usage);
  EXPECT_EQ(usage.voluntary_switches, 12U);
  EXPECT_EQ(usage.involuntary_switches, 34U);
}

TEST(ProcFiles, SchedHasTheSwitchesAndTheMigrations) {
  ThreadUsage usage;
  read_sched(
      "x (7, #threads: 1)\n----\nse.nr_migrations    :      5\nnr_switches  :  46\n"
      "nr_voluntary_switches  :   12\nnr_involuntary_switches  :  34\nnr_migrations: 9\n",
      usage);
  EXPECT_EQ(usage.migrations, 5U);
  EXPECT_EQ(usage.voluntary_switches, 12U);
  EXPECT_EQ(usage.involuntary_switches, 34U);
}

TEST(ProcFiles, AZombieHasEnded) {
  ThreadUsage usage;
  read_stat("7 (x) Z 1 7 7 0 -1 4194304 85 0 3 0 12 34 0 0 20 0 1 0 5 6 7\n", 100, usage);
  EXPECT_TRUE(usage.ended);
}

TEST(ThreadFigures, ASumIsOfTheKnownValuesAndADifferenceNeedsBoth) {
  ThreadFigures sum;
  sum.voluntary_switches = 5;
  ThreadFigures other;
  other.voluntary_switches = 7;
  other.migrations = 2;
  sum += other;
  EXPECT_EQ(sum.voluntary_switches, 12U);
  EXPECT_EQ(sum.migrations, 2U);
  other -= sum;
  EXPECT_EQ(other.voluntary_switches, 0U);  // not below
  other.migrations.reset();
  sum -= other;
  EXPECT_FALSE(sum.migrations);
}

// ---- The report

TEST(ThreadReport, ListsRunningThreads) {
  if (::access("/proc/self/task", R_OK) != 0) GTEST_SKIP() << "this system has no /proc";
  std::latch named(1);
  std::latch over(1);
  std::thread thread([&] {
    ::pthread_setname_np(::pthread_self(), "odd ) name");
    named.count_down();
    over.wait();
  });
  named.wait();
  const auto found = threads_called("odd ) name");
  over.count_down();
  thread.join();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].ended);
  EXPECT_GT(found[0].id, 0);
  EXPECT_TRUE(found[0].voluntary_switches && found[0].processor && found[0].minor_faults);
}

// Causes page faults; several pages may be mapped by one fault.
void touch_new_pages() {
  constexpr std::size_t kBytes = 4U << 20U;
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  for (std::size_t i = 0; i < kBytes; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
  ::munmap(memory, kBytes);
}

TEST(ThreadReport, ARememberedThreadIsListedAfterItsEnd) {
  std::thread thread([&] {
    ::pthread_setname_np(::pthread_self(), "remembered");
    remember_this_thread();
    remember_this_thread();  // once would suffice
    touch_new_pages();
  });
  thread.join();
  const auto found = threads_called("remembered");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].ended);
  EXPECT_GT(found[0].minor_faults.value_or(1), 0U);
  EXPECT_GT(found[0].processor.value_or(nanoseconds(1)), nanoseconds(0));
}

TEST(ThreadReport, AnUnrememberedThreadIsPartOfTheRest) {
  const std::uint64_t before = thread_report().ended_unseen.minor_faults.value_or(0);
  std::thread([] {
    ::pthread_setname_np(::pthread_self(), "forgotten");
    touch_new_pages();
  }).join();
  EXPECT_TRUE(threads_called("forgotten").empty());
  EXPECT_GT(thread_report().ended_unseen.minor_faults.value_or(before + 1), before);
}

// The thread's last object: it waits after the thread's usage has been recorded.
struct Lingering {
  std::latch known{1};
  std::latch over{1};
};
struct Linger {
  Lingering* lingering = nullptr;
  ~Linger() {
    lingering->known.count_down();
    lingering->over.wait();
  }
};

TEST(ThreadReport, AThreadThatIsEndingIsListedOnce) {
  Lingering lingering;
  std::thread thread([&] {
    ::pthread_setname_np(::pthread_self(), "lingering");
    static thread_local Linger linger;  // constructed first, so destroyed last
    linger.lingering = &lingering;
    remember_this_thread();
  });
  lingering.known.wait();
  const auto found = threads_called("lingering");
  lingering.over.count_down();
  thread.join();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].ended);
}

TEST(ThreadReport, AForkedChildDoesNotListItsParentsThreads) {
  if (!kChildrenMayAllocate) GTEST_SKIP() << "this sanitizer's allocator does not support forks";
  base::atomic<bool> over{false};
  std::thread maker([&] {
    while (!over.load(base::memory_order_relaxed)) {
      std::thread([] { remember_this_thread(); }).join();
    }
  });
  const auto has_ended = [] {
    const ThreadReport report = thread_report();
    return std::any_of(report.threads.begin(), report.threads.end(),
                       [](const ThreadUsage& thread) { return thread.ended; });
  };
  while (!has_ended()) std::this_thread::yield();
  std::thread reader([&] {
    while (!over.load(base::memory_order_relaxed)) static_cast<void>(thread_report());
  });
  EXPECT_TRUE(succeeds_in_children(100, [&] { return !has_ended(); }));
  over.store(true, base::memory_order_relaxed);
  maker.join();
  reader.join();
}

TEST(ThreadReport, WorkersOfAnExecutorAreRememberedByAnObserver) {
  const ThreadObserver observer;
  {
    rt::Executor executor({.threads = 2, .name = "observed", .observer = &observer});
    rt::TaskGroup group(executor);
    std::latch both(2);  // each task needs its own worker
    for (int i = 0; i < 2; ++i) group.run([&] { both.arrive_and_wait(); });
    EXPECT_TRUE(group.wait_for(std::chrono::hours(1)));  // with a deadline, it runs no tasks itself
  }
  std::size_t workers = 0;
  for (const ThreadUsage& thread : thread_report().threads) {
    workers += thread.ended && thread.name.starts_with("observed");
  }
  EXPECT_EQ(workers, 2U);
}

// Counts the calls that it receives.
struct Counting final : rt::Observer {
  mutable base::atomic<int> starts{0};
  mutable base::atomic<int> ends{0};
  mutable base::atomic<int> tasks{0};

  void thread_starts(std::string_view, unsigned) const noexcept override { ++starts; }
  void thread_ends() const noexcept override { ++ends; }
  Moment task_begins() const noexcept override { return 77; }
  void task_ends(Moment began) const noexcept override { tasks += began == 77; }
  Moment phase_begins(const char*) const noexcept override { return 5; }
};

TEST(ThreadObserver, ForwardsAllCalls) {
  const Counting counting;
  const ThreadObserver observer(&counting);
  {
    rt::Executor executor({.threads = 2, .observer = &observer});
    rt::TaskGroup group(executor);
    for (int i = 0; i < 100; ++i) group.run([] {});
    EXPECT_TRUE(group.wait_for(std::chrono::hours(1)));
  }
  // The second worker starts only if it is needed.
  EXPECT_GE(counting.starts, 1);
  EXPECT_EQ(counting.ends, counting.starts);
  EXPECT_EQ(counting.tasks, 100);
  EXPECT_EQ(observer.phase_begins("x"), 5U);
}

TEST(ThreadReport, TheTextMarksUnknownValues) {
  ThreadReport report;
  report.threads.emplace_back().name = "mute";
  const std::string text = report.text();
  EXPECT_NE(text.find("mute"), std::string::npos);
  EXPECT_NE(text.find("unknown"), std::string::npos);
}

}  // namespace
}  // namespace fathom::diag

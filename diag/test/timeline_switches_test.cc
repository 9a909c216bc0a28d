// Tests of context switches on the timeline, as far as this system lets a program see its own.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "exit_code_of_child.h"
#include "fathom/base/atomic.h"
#include "fathom/base/fd.h"
#include "fathom/diag/span.h"
#include "fathom/diag/timeline.h"
#include "parsed_trace.h"
#include "timeline/switch_log.h"
#include "timeline_fixture.h"

namespace fathom::diag {
namespace {

constexpr std::uint32_t kStateTracks = std::uint32_t{1} << 30U;

class TimelineSwitches : public TimelineFixture {
 protected:
  void SetUp() override {
    SwitchRefusal refusal;
    if (SwitchLog::open(refusal) == nullptr) GTEST_SKIP() << why_no_switches(refusal);
  }
};

// The number of times that the calling thread has waited, as the system counts it.
long waits_so_far() {
  struct rusage used = {};
  ::getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

// Returns the number of waits, at least `least`.
long wait_for_a_while(long least) {
  const long before = waits_so_far();
  while (waits_so_far() < before + least) ::poll(nullptr, 0, 1);
  return waits_so_far() - before;
}

// The states of a thread, in their order.
std::vector<ParsedEvent> states_of(const ParsedTrace& trace, const std::string& thread) {
  std::vector<ParsedEvent> states;
  const std::uint32_t track = trace.track_named(thread) + kStateTracks;
  std::copy_if(trace.events.begin(), trace.events.end(), std::back_inserter(states),
               [&](const ParsedEvent& event) { return event.track == track; });
  return states;
}

long count_named(const std::vector<ParsedEvent>& events, const std::string& name) {
  return std::count_if(events.begin(), events.end(),
                       [&](const ParsedEvent& event) { return event.name == name; });
}

TEST_F(TimelineSwitches, ShowWhenAThreadRanAndWaited) {
  Timeline timeline(sink(), {.context_switches = true});
  long waits = 0;
  std::thread([&] {
    name_thread("sleeper");
    instant("begins");
    waits = wait_for_a_while(5);
    instant("ends");
  }).join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_TRUE(trace.nests());
  EXPECT_EQ(trace.told_switches, "recorded for 1 thread");
  const std::vector<ParsedEvent> states = states_of(trace, "sleeper");
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(trace.tracks.at(states.front().track), "processor of sleeper");
  EXPECT_GE(count_named(states, "waits"), waits);
  EXPECT_EQ(states.front().name, "runs");
  EXPECT_EQ(states.back().name, "runs");
  EXPECT_LE(states.front().begin, trace.named("begins").front().begin);
}

TEST_F(TimelineSwitches, FollowEachOtherWithoutGaps) {
  Timeline timeline(sink(), {.context_switches = true});
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      name_thread("sleeper " + std::to_string(i));
      instant("begins");
      wait_for_a_while(20);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.lost, 0U);
  for (unsigned i = 0; i < 4; ++i) {
    const std::vector<ParsedEvent> states = states_of(trace, "sleeper " + std::to_string(i));
    ASSERT_GE(states.size(), 41U);
    for (std::size_t k = 1; k < states.size(); ++k) {
      ASSERT_EQ(states[k].begin, states[k - 1].end());
      // A processor is given up only by a thread that has one.
      ASSERT_TRUE(states[k].name == "runs" || states[k - 1].name == "runs");
    }
  }
}

// The thread still waits when the timeline ends.
TEST_F(TimelineSwitches, ShowWhatAThreadDoesAtTheEnd) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const base::Fd reading(ends[0]);
  base::Fd writing(ends[1]);
  Timeline timeline(sink(), {.context_switches = true});
  base::atomic<bool> began{false};
  std::thread reader([&] {
    name_thread("reader");
    instant("begins");
    began.store(true, base::memory_order_release);
    char byte = 0;
    static_cast<void>(::read(reading.get(), &byte, 1));
  });
  while (!began.load(base::memory_order_acquire)) std::this_thread::yield();
  instant("now");
  const ParsedTrace trace = trace_of(timeline);
  writing.reset();
  reader.join();
  const std::vector<ParsedEvent> states = states_of(trace, "reader");
  ASSERT_FALSE(states.empty());
  EXPECT_GE(states.back().end(), trace.named("now").front().begin);
}

TEST_F(TimelineSwitches, AreNotShownUnlessRequested) {
  Timeline timeline(sink());
  name_thread("main");
  instant("begins");
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(trace.told_switches, "");
  EXPECT_EQ(trace.tracks.size(), 1U);
  EXPECT_EQ(trace.events.size(), 1U);
}

TEST_F(TimelineSwitches, FitIntoTheSmallestBudget) {
  Timeline timeline(sink(), {.most_bytes = Timeline::kLeastBytes, .context_switches = true});
  instant("begins");
  wait_for_a_while(20);
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_LE(json_.size(), Timeline::kLeastBytes);
  EXPECT_GE(summary_.events + summary_.lost, 41U);
}

TEST_F(TimelineSwitches, OfTheParentDoNotDisturbAForkedChild) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "this sanitizer does not support threads in a forked child";
#endif
  Timeline timeline(sink(), {.context_switches = true});
  instant("begins");
  EXPECT_EQ(exit_code_of_child([] {
              std::string json;
              Timeline own([&](std::string_view text) { json += text; },
                           {.context_switches = true});
              instant("in the child");
              own.stop();
              const ParsedTrace trace(json);
              return trace.whole && trace.named("in the child").size() == 1;
            }),
            0);
  EXPECT_EQ(trace_of(timeline).named("begins").size(), 1U);
}

// ---- Where the system refuses

// Makes the system refuse any descriptor, or no longer.
void allow_descriptors(bool allowed) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = allowed ? limit.rlim_max : 0;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(TimelineWithoutSwitches, SaysWhyAndIsOtherwiseComplete) {
  EXPECT_EQ(exit_code_of_child([] {
              std::string json;
              Timeline timeline([&](std::string_view text) { json += text; },
                                {.context_switches = true});
              allow_descriptors(false);
              name_thread("main");
              instant("begins");
              const Timeline::Summary summary = timeline.stop();
              const ParsedTrace trace(json);
              return trace.whole && summary.events == 1 && summary.lost == 0 &&
                     trace.tracks.size() == 1 &&
                     trace.told_switches.starts_with("not recorded: perf_event_open: ");
            }),
            0);
}

TEST_F(TimelineSwitches, OfSomeThreadsAreShownIfTheOthersAreRefused) {
  EXPECT_EQ(
      exit_code_of_child([] {
        std::string json;
        Timeline timeline([&](std::string_view text) { json += text; }, {.context_switches = true});
        instant("begins");
        // Sanitizers need descriptors to check a thread that starts or ends.
        base::atomic<bool> runs{false};
        base::atomic<bool> limited{false};
        std::thread refused([&] {
          runs.store(true, base::memory_order_relaxed);
          while (!limited.load(base::memory_order_relaxed)) std::this_thread::yield();
          instant("begins");
          allow_descriptors(true);
        });
        while (!runs.load(base::memory_order_relaxed)) std::this_thread::yield();
        allow_descriptors(false);
        limited.store(true, base::memory_order_relaxed);
        refused.join();
        timeline.stop();
        const ParsedTrace trace(json);
        return trace.named("begins").size() == 2 &&
               trace.told_switches.starts_with("recorded for 1 of 2 threads: perf_event_open: " +
                                               std::generic_category().message(EMFILE));
      }),
      0);
}

// As a user whom the system lets lock nothing beyond the memory for the rings. It may let such a
// user open as many rings as descriptors: then there is nothing to see.
TEST_F(TimelineSwitches, WithoutMemoryForTheRingSayWhichLimitsTheUserHasReached) {
  constexpr uid_t kNobody = 65534;
  enum Seen { kAsExpected, kOtherwise, kNoLimit };
  const int seen = status_of_child([] {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_MEMLOCK, &none);
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return kNoLimit;
    std::vector<std::unique_ptr<SwitchLog>> logs;
    SwitchRefusal refusal;
    while (std::unique_ptr<SwitchLog> log = SwitchLog::open(refusal)) {
      logs.push_back(std::move(log));
    }
    if (refusal.call == SwitchRefusal::Call::open_event) return kNoLimit;
    logs.clear();  // for the descriptor that reads the setting
    const std::string why = why_no_switches(refusal);
    const bool is_expected =
        why.starts_with("mmap: Operation not permitted (kernel.perf_event_mlock_kb is ") &&
        why.ends_with(", the memlock limit is 0 KiB)");
    return is_expected ? kAsExpected : kOtherwise;
  });
  if (seen == kNoLimit) GTEST_SKIP() << "this system does not limit the memory for rings";
  EXPECT_EQ(seen, kAsExpected);
}

TEST(WhyNoSwitches, NamesTheLimitsOfMemoryOnlyIfTheyAreTheReason) {
  EXPECT_EQ(why_no_switches({SwitchRefusal::Call::map_ring, ENOMEM}),
            "mmap: " + std::generic_category().message(ENOMEM));
  const std::string why = why_no_switches({SwitchRefusal::Call::map_ring, EPERM});
  EXPECT_TRUE(why.starts_with("mmap: Operation not permitted")) << why;
  const bool is_known = ::access("/proc/sys/kernel/perf_event_mlock_kb", R_OK) == 0;
  EXPECT_EQ(why.find("(kernel.perf_event_mlock_kb is ") != std::string::npos, is_known) << why;
}

TEST(WhyNoSwitches, NamesTheErrorAndTheSettingOfTheSystem) {
  const std::string why = why_no_switches({SwitchRefusal::Call::open_event, EACCES});
  EXPECT_TRUE(why.starts_with("perf_event_open: Permission denied")) << why;
  const bool is_known = ::access("/proc/sys/kernel/perf_event_paranoid", R_OK) == 0;
  EXPECT_EQ(why.find(" (kernel.perf_event_paranoid is ") != std::string::npos, is_known) << why;
}

}  // namespace
}  // namespace fathom::diag

// Tests of recording, of the byte budget, and of counting losses.

#include "fathom/diag/timeline.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/diag/span.h"
#include "parsed_trace.h"
#include "timeline_fixture.h"

namespace fathom::diag {
namespace {

constexpr unsigned kThreads = 4;
constexpr std::uint32_t kEvents = 20'000;

using TimelineTest = TimelineFixture;

void record_numbered(unsigned thread, std::uint32_t events) {
  name_thread("numbered " + std::to_string(thread));
  for (std::uint32_t i = 0; i < events; ++i) record_span("numbered", begin_span(), i);
}

void record_in_threads(std::uint32_t events) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(record_numbered, i, events);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TimelineTest, HasEveryEventOfEveryThreadOnceAndInOrder) {
  Timeline timeline(sink());
  record_in_threads(kEvents);
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.lost, 0U);
  EXPECT_EQ(summary_.events, kThreads * kEvents);
  for (unsigned i = 0; i < kThreads; ++i) {
    const std::uint32_t track = trace.track_named("numbered " + std::to_string(i));
    ASSERT_NE(track, 0U);
    const auto events = trace.named("numbered", track);
    ASSERT_EQ(events.size(), kEvents);
    for (std::uint32_t k = 0; k < kEvents; ++k) {
      ASSERT_EQ(events[k].number, k);
      ASSERT_GE(events[k].begin, k == 0 ? 0 : events[k - 1].end());
    }
  }
}

TEST_F(TimelineTest, CountsWhatATinyRingLosesPerThread) {
  Timeline timeline(sink(), {.ring_events = 4});
  record_in_threads(kEvents);
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.events + summary_.lost, kThreads * kEvents);
  for (unsigned i = 0; i < kThreads; ++i) {
    const std::uint32_t track = trace.track_named("numbered " + std::to_string(i));
    ASSERT_NE(track, 0U);
    const auto events = trace.named("numbered", track);
    EXPECT_EQ(events.size() + trace.lost(track), kEvents);
    for (std::size_t k = 1; k < events.size(); ++k) {
      ASSERT_LT(events[k - 1].number, events[k].number);
    }
  }
}

TEST_F(TimelineTest, LosesExactlyWhatDoesNotFitWhileTheSinkIsSlow) {
  const ParsedTrace trace = trace_unread(4, [] {
    for (std::uint32_t i = 0; i < 10; ++i) record_span("numbered", begin_span(), i);
  });
  EXPECT_EQ(summary_.events, 4U);
  EXPECT_EQ(summary_.lost, 6U);
  const auto events = trace.named("numbered");
  ASSERT_EQ(events.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(events[i].number, i);
  EXPECT_EQ(trace.lost(events.front().track), 6U);
}

TEST_F(TimelineTest, KeepsToItsBudgetAndCountsTheRest) {
  constexpr std::uint64_t kBudget = 20'000;
  Timeline timeline(sink(), {.most_bytes = kBudget});
  record_in_threads(kEvents);
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_LE(json_.size(), kBudget);
  EXPECT_GT(json_.size(), kBudget / 2);
  EXPECT_EQ(summary_.events + summary_.lost, kThreads * kEvents);
  EXPECT_EQ(trace.named("numbered").size(), summary_.events);
  for (const auto& [track, name] : trace.tracks) {
    EXPECT_EQ(trace.named("numbered", track).size() + trace.lost(track), kEvents) << name;
    // The earliest events are kept.
    const auto events = trace.named("numbered", track);
    for (std::size_t k = 0; k < events.size(); ++k) ASSERT_EQ(events[k].number, k);
  }
}

TEST_F(TimelineTest, KeepsToItsBudgetWithAnyNumberOfThreads) {
  constexpr std::uint64_t kBudget = 20'000;
  Timeline timeline(sink(), {.most_bytes = kBudget, .ring_events = 16});
  for (unsigned i = 0; i < 300; ++i) std::thread([] { instant("here"); }).join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_LE(json_.size(), kBudget);
  EXPECT_EQ(summary_.events + summary_.lost, 300U);
  EXPECT_GT(summary_.lost, 0U);
  EXPECT_EQ(trace.named("here").size(), summary_.events);
}

TEST_F(TimelineTest, EndedThreadsWithoutLossesNeedNoBudget) {
  // If each of them kept a reserve, they would not fit.
  constexpr unsigned kGuests = 600;
  Timeline timeline(sink(), {.most_bytes = 400 * kGuests, .ring_events = 16});
  for (unsigned i = 0; i < kGuests; ++i) std::thread([] { instant("here"); }).join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.lost, 0U) << json_.size();
  EXPECT_EQ(trace.named("here").size(), kGuests);
}

TEST_F(TimelineTest, IsACompleteTraceInTheSmallestBudget) {
  Timeline timeline(sink(), {.most_bytes = Timeline::kLeastBytes});
  record_in_threads(1000);
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_LE(json_.size(), Timeline::kLeastBytes);
  EXPECT_EQ(trace.named("numbered").size(), summary_.events);
  EXPECT_EQ(summary_.events + summary_.lost, kThreads * 1000);
}

TEST_F(TimelineTest, RefusesABudgetThatIsTooSmallForItsBeginning) {
  EXPECT_THROW(Timeline(sink(), {.most_bytes = Timeline::kLeastBytes - 1}), base::Error);
  EXPECT_TRUE(json_.empty());
}

TEST_F(TimelineTest, AnUnnamedThreadHasAnUnnamedTrack) {
  Timeline timeline(sink());
  std::thread([] {
    ::pthread_setname_np(::pthread_self(), "");
    instant("nameless");
  }).join();
  const ParsedTrace trace = trace_of(timeline);
  const auto events = trace.named("nameless");
  ASSERT_EQ(events.size(), 1U);
  const auto track = trace.tracks.find(events.front().track);
  ASSERT_NE(track, trace.tracks.end());
  EXPECT_EQ(track->second, "");
}

TEST_F(TimelineTest, CallsFiguresOnItsOwnThreadAndALastTimeAtTheEnd) {
  std::set<std::thread::id> threads;
  base::atomic<std::uint64_t> figure{0};
  {
    Timeline timeline(sink(), {.figures = [&] {
                        threads.insert(std::this_thread::get_id());
                        counter("figure", figure.load(base::memory_order_relaxed));
                      }});
    // Only the last call comes after what happens before the end.
    instant("here");
    figure.store(7, base::memory_order_relaxed);
    const ParsedTrace trace = trace_of(timeline);
    ASSERT_FALSE(trace.named("figure").empty());
    EXPECT_EQ(trace.named("figure").back().number, 7U);
  }
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0U);
}

TEST_F(TimelineTest, RethrowsExceptionsOfFigures) {
  Timeline timeline(sink(), {.figures = [] { throw std::runtime_error("no figures"); }});
  EXPECT_THROW(timeline.stop(), std::runtime_error);
  EXPECT_EQ(begin_span(), 0U);
}

void nest(unsigned depth) {
  FATHOM_SPAN("nested");
  if (depth == 0) return;
  for (unsigned i = 0; i < 3; ++i) {
    FATHOM_SPAN("inner");
    nest(depth - 1);
  }
}

TEST_F(TimelineTest, NestsTheSpansOfEachThread) {
  Timeline timeline(sink());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(nest, 5);
  for (std::thread& thread : threads) thread.join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(trace.named("nested").size(), kThreads * (1 + 3 + 9 + 27 + 81 + 243));
  EXPECT_TRUE(trace.nests());
}

TEST_F(TimelineTest, OmitsSpansOfAnotherTimeline) {
  const Ticks before = begin_span();
  EXPECT_EQ(before, 0U) << "none runs";
  instant("before");
  Ticks first = 0;
  {
    Timeline timeline([](std::string_view) {});
    first = begin_span();
    EXPECT_NE(first, 0U);
  }
  Timeline timeline(sink());
  end_span("unrecorded", before);
  end_span("of the first", first);
  const Span open("open");
  instant("now");
  const ParsedTrace trace = trace_of(timeline);
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events.front().name, "now");
  EXPECT_EQ(summary_.lost, 0U);
}

TEST_F(TimelineTest, ShowsCountersAndInstants) {
  Timeline timeline(sink());
  counter("queue", 5);
  counter("queue", 7);
  instant("full");
  const ParsedTrace trace = trace_of(timeline);
  const auto values = trace.named("queue");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].phase, 'C');
  EXPECT_EQ(values[0].number, 5U);
  EXPECT_EQ(values[1].number, 7U);
  EXPECT_LE(values[0].begin, values[1].begin);
  ASSERT_EQ(trace.named("full").size(), 1U);
  EXPECT_EQ(trace.named("full").front().phase, 'i');
}

TEST_F(TimelineTest, GivesEachShortLivedThreadATrack) {
  Timeline timeline(sink(), {.ring_events = 16});
  for (unsigned i = 0; i < 200; ++i) {
    std::thread([i] {
      name_thread("guest " + std::to_string(i));
      instant("here");
    }).join();
  }
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.lost, 0U);
  for (unsigned i = 0; i < 200; ++i) {
    const std::uint32_t track = trace.track_named("guest " + std::to_string(i));
    ASSERT_NE(track, 0U) << i;
    ASSERT_EQ(trace.named("here", track).size(), 1U) << i;
  }
}

TEST_F(TimelineTest, CountsEventsRecordedAfterTheLogIsClosed) {
  struct Late {
    ~Late() { instant("late"); }
  };
  Timeline timeline(sink());
  std::thread([] {
    static thread_local const Late late;  // constructed before the log, so destroyed after it
    static_cast<void>(&late);
    instant("early");
  }).join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(trace.named("early").size(), 1U);
  EXPECT_EQ(trace.named("late").size(), 0U);
  EXPECT_EQ(summary_.lost, 1U);
}

TEST_F(TimelineTest, MayBeStartedAndStoppedWhileThreadsRecord) {
  base::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      while (!over.load(base::memory_order_relaxed)) {
        FATHOM_SPAN("outer");
        FATHOM_SPAN("inner");
      }
    });
  }
  for (unsigned round = 0; round < 30; ++round) {
    json_.clear();
    Timeline timeline(sink(), {.ring_events = 256});
    instant("main");
    const ParsedTrace trace = trace_of(timeline);
    EXPECT_TRUE(trace.nests());
    EXPECT_EQ(trace.named("main").size(), 1U);
  }
  over.store(true, base::memory_order_relaxed);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TimelineTest, IsTheOnlyOne) {
  Timeline timeline(sink());
  EXPECT_THROW(Timeline second([](std::string_view) {}), std::logic_error);
  timeline.stop();
  EXPECT_NO_THROW(Timeline second([](std::string_view) {}));
}

TEST_F(TimelineTest, RefusesAnEmptyRing) {
  EXPECT_THROW(Timeline(sink(), {.ring_events = 0}), base::Error);
  instant("nothing runs");
}

TEST_F(TimelineTest, RefusesToBeReadWithoutAPause) {
  using std::chrono::milliseconds;
  for (const milliseconds interval : {milliseconds(0), milliseconds(-1), milliseconds::min()}) {
    EXPECT_THROW(Timeline(sink(), {.interval = interval}), base::Error);
  }
  instant("nothing runs");
}

TEST_F(TimelineTest, WithTheLongestIntervalIsReadAtItsEnd) {
  int turns = 0;
  Timeline timeline(sink(),
                    {.interval = std::chrono::milliseconds::max(), .figures = [&] { ++turns; }});
  instant("here");
  for (int i = 0; i < 10'000; ++i) std::this_thread::yield();  // time for turns that are too many
  EXPECT_EQ(trace_of(timeline).named("here").size(), 1U);
  EXPECT_LE(turns, 2);  // a late request of the timeline before may cause one
}

TEST_F(TimelineTest, StopsOnce) {
  Timeline timeline(sink());
  instant("here");
  const Timeline::Summary first = timeline.stop();
  const Timeline::Summary second = timeline.stop();
  EXPECT_EQ(first.events, 1U);
  EXPECT_EQ(second.events, first.events);
  EXPECT_EQ(second.bytes, json_.size());
}

TEST_F(TimelineTest, RethrowsExceptionsOfTheSink) {
  Timeline timeline([](std::string_view) { throw std::runtime_error("no more"); });
  instant("here");
  EXPECT_THROW(timeline.stop(), std::runtime_error);
  EXPECT_EQ(begin_span(), 0U);
  EXPECT_NO_THROW(timeline.stop());
}

TEST_F(TimelineTest, ReportsThatAFileCannotBeWritten) {
  try {
    Timeline timeline(trace_file("/nonexistent/trace.json"));
    FAIL() << "the folder does not exist";
  } catch (const base::SystemError& error) {
    EXPECT_EQ(error.code(), ENOENT);
  }
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  Timeline timeline(trace_file("/dev/full"));
  try {
    timeline.stop();
    FAIL() << "the disk is full";
  } catch (const base::SystemError& error) {
    EXPECT_EQ(error.code(), ENOSPC);
  }
}

TEST_F(TimelineTest, DoesNotExistInAForkedChild) {
  Timeline timeline(sink());
  instant("before");
  const ::pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = begin_span() == 0;
    instant("in the child");
    right = right && timeline.stop().bytes == 0;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  instant("after");
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(trace.named("before").size(), 1U);
  EXPECT_EQ(trace.named("in the child").size(), 0U);
  EXPECT_EQ(trace.named("after").size(), 1U);
}

}  // namespace
}  // namespace fathom::diag

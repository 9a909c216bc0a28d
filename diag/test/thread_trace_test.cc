// Tests of the trace of a recording.

#include <gtest/gtest.h>

#include <string>

#include "fathom/diag/thread_recording.h"
#include "parsed_trace.h"

namespace fathom::diag {
namespace {

using std::chrono::milliseconds;

struct Written {
  std::string text;
  Timeline::Summary summary;
};

Written trace_of(const ThreadRecording& recording,
                 std::uint64_t most_bytes = Timeline::Options().most_bytes) {
  Written written;
  written.summary = write_trace(
      recording, 7, [&written](std::string_view block) { written.text += block; }, most_bytes);
  return written;
}

RecordedThread thread_named(const std::string& name, long process, long id) {
  RecordedThread thread;
  thread.name = name;
  thread.process = process;
  thread.id = id;
  thread.until = milliseconds(100);
  return thread;
}

TEST(ThreadTrace, EachThreadHasATrackWithItsLife) {
  ThreadRecording recording;
  recording.threads = {thread_named("program", 7, 7), thread_named("worker", 7, 8)};
  recording.threads[1].began = milliseconds(20);
  const Written written = trace_of(recording);
  const ParsedTrace trace(written.text);
  EXPECT_TRUE(trace.whole);
  const std::uint32_t track = trace.track_named("worker");
  const auto lives = trace.named("alive", track);
  ASSERT_EQ(lives.size(), 1U);
  EXPECT_EQ(lives[0].begin, 20'000'000U);
  EXPECT_EQ(lives[0].end(), 100'000'000U);
  EXPECT_EQ(written.summary.events, 2U);
  EXPECT_EQ(trace.told_events, 2U);
  EXPECT_EQ(written.summary.bytes, written.text.size());
}

TEST(ThreadTrace, SpansSayWhereAThreadRan) {
  ThreadRecording recording;
  recording.threads = {thread_named("program", 7, 7)};
  recording.threads[0].spans = {{milliseconds(1), milliseconds(3), 1, true},
                                {milliseconds(3), milliseconds(4), 0, false}};
  const Written written = trace_of(recording);
  const ParsedTrace trace(written.text);
  EXPECT_TRUE(trace.nests());
  ASSERT_EQ(trace.named("runs").size(), 1U);
  EXPECT_EQ(trace.named("runs")[0].duration, 2'000'000U);
  EXPECT_EQ(trace.named("preempted").size(), 1U);
  EXPECT_NE(written.text.find("\"args\":{\"cpu\":1}"), std::string::npos);
}

TEST(ThreadTrace, ProcessesHaveTheNamesOfTheirMainThreads) {
  ThreadRecording recording;
  recording.threads = {thread_named("program", 7, 7), thread_named("worker", 20, 21),
                       thread_named("child", 20, 20)};
  const std::string text = trace_of(recording).text;
  EXPECT_NE(text.find(R"("pid":7,"name":"process_name","args":{"name":"program"})"),
            std::string::npos);
  EXPECT_NE(text.find(R"("pid":20,"name":"process_name","args":{"name":"child"})"),
            std::string::npos);
  EXPECT_NE(text.find(R"("pid":20,"tid":2,"name":"thread_name","args":{"name":"worker")"),
            std::string::npos);
}

TEST(ThreadTrace, CountersAreOfAllThreadsWithOneName) {
  ThreadRecording recording;
  recording.times = {milliseconds(100), milliseconds(200)};
  recording.threads = {thread_named("worker", 7, 8), thread_named("worker", 7, 9)};
  for (RecordedThread& thread : recording.threads) {
    ThreadSample sample{milliseconds(100), {}};
    sample.figures.processor = milliseconds(25);
    sample.figures.voluntary_switches = 10;
    thread.samples.push_back(sample);
    sample.at = milliseconds(200);
    sample.figures.processor = milliseconds(100);
    sample.figures.voluntary_switches = 40;
    thread.samples.push_back(sample);
  }
  const ParsedTrace trace(trace_of(recording).text);
  const auto processor = trace.named("worker: processor, % of one");
  ASSERT_EQ(processor.size(), 2U);
  EXPECT_EQ(processor[0].begin, 0U);
  EXPECT_EQ(processor[0].number, 50U);
  EXPECT_EQ(processor[1].begin, 100'000'000U);
  EXPECT_EQ(processor[1].number, 150U);
  EXPECT_EQ(trace.named("worker: waits per s").at(1).number, 600U);
  EXPECT_TRUE(trace.named("worker: migrations per s").empty());  // unknown
}

TEST(ThreadTrace, CountersOfAPoolAreOne) {
  ThreadRecording recording;
  recording.times = {milliseconds(100)};
  recording.threads = {thread_named("pool-1", 7, 8), thread_named("pool-2", 7, 9)};
  for (RecordedThread& thread : recording.threads) {
    ThreadSample sample{milliseconds(100), {}};
    sample.figures.voluntary_switches = 5;
    thread.samples.push_back(sample);
  }
  const ParsedTrace trace(trace_of(recording).text);
  ASSERT_EQ(trace.named("pool-*: waits per s").size(), 1U);
  EXPECT_EQ(trace.named("pool-*: waits per s")[0].number, 100U);
}

TEST(ThreadTrace, CountersOfThreadsThatBeganLaterIncludeTheirFirstSample) {
  ThreadRecording recording;
  recording.times = {milliseconds(100), milliseconds(200), milliseconds(300)};
  recording.threads = {thread_named("late", 7, 8)};
  ThreadSample sample{milliseconds(200), {}};
  sample.figures.voluntary_switches = 5;
  recording.threads[0].samples.push_back(sample);
  sample.at = milliseconds(300);
  sample.figures.voluntary_switches = 7;
  sample.figures.processor = milliseconds(50);  // not known before
  recording.threads[0].samples.push_back(sample);
  const ParsedTrace trace(trace_of(recording).text);
  const auto waits = trace.named("late: waits per s");
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].begin, 100'000'000U);
  EXPECT_EQ(waits[0].number, 50U);
  EXPECT_EQ(waits[1].number, 20U);
  const auto processor = trace.named("late: processor, % of one");
  ASSERT_EQ(processor.size(), 1U);
  EXPECT_EQ(processor[0].number, 50U);
}

TEST(FamilyOf, IsTheNameWithoutTheNumberAtItsEnd) {
  EXPECT_EQ(family_of("worker-12"), "worker-");
  EXPECT_EQ(family_of("a1b22"), "a1b");
  EXPECT_EQ(family_of("main"), "main");
  EXPECT_EQ(family_of("42"), "42");
  EXPECT_EQ(family_of(""), "");
}

TEST(ThreadTrace, WhatDoesNotFitIsCounted) {
  ThreadRecording recording;
  for (long id = 7; id < 1007; ++id) {
    recording.threads.push_back(thread_named("thread", 7, id));
  }
  recording.lost_spans = 5;
  const Written written = trace_of(recording, 10'000);
  EXPECT_LE(written.text.size(), 10'000U);
  const ParsedTrace trace(written.text);
  EXPECT_TRUE(trace.whole);
  EXPECT_GT(written.summary.events, 10U);
  EXPECT_EQ(written.summary.events + written.summary.lost, 1000U + 5U);
  EXPECT_EQ(trace.told_lost, written.summary.lost);
}

TEST(ThreadTrace, TheSmallestBudgetHoldsATraceWithoutEvents) {
  ThreadRecording recording;
  recording.threads = {thread_named(std::string(15, '\x01'), 7, 7)};
  const Written written = trace_of(recording, Timeline::kLeastBytes);
  EXPECT_LE(written.text.size(), Timeline::kLeastBytes);
  EXPECT_TRUE(ParsedTrace(written.text).whole);
}

}  // namespace
}  // namespace fathom::diag

// Tests of recordings from a folder like /proc, and from records of switches. No time passes in
// them: each says when something happens.

#include "threads/recorder.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "fake_proc.h"

namespace fathom::diag {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Kind = SwitchRecord::Kind;

constexpr std::uint64_t kMilli = 1'000'000;

Recorder::Options options_with(const FakeProc& proc) {
  Recorder::Options options;
  options.proc = proc.path();
  return options;
}

// A recorder that follows the process 7.
Recorder recorder_of(const Recorder::Options& options) {
  Recorder recorder(options);
  recorder.follow(7);
  return recorder;
}

std::vector<RecordedThread> threads_of(Recorder& recorder, nanoseconds now,
                                       const ThreadFigures& reaped = {}) {
  return recorder.finish(now, reaped).threads;
}

std::vector<std::string> names_of(const std::vector<RecordedThread>& threads) {
  std::vector<std::string> names;
  for (const RecordedThread& thread : threads) names.push_back(thread.name);
  return names;
}

ThreadFigures switches(std::uint64_t voluntary, std::uint64_t involuntary) {
  ThreadFigures figures;
  figures.voluntary_switches = voluntary;
  figures.involuntary_switches = involuntary;
  return figures;
}

// ---- From samples

TEST(Recorder, ReadsAllThreadsOfAProcess) {
  FakeProc proc;
  proc.disk_wait_is_measured();
  proc.thread(7, 7, {});
  proc.thread(7, 8,
              {.name = "odd ) (name",
               .user_ticks = 3,
               .system_ticks = 4,
               .disk_ticks = 5,
               .ran = 70 * kMilli,
               .waited = 20 * kMilli,
               .voluntary = 12,
               .involuntary = 34,
               .migrations = 56});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(100));
  const auto threads = threads_of(recorder, milliseconds(100));
  ASSERT_EQ(names_of(threads), (std::vector<std::string>{"program", "odd ) (name"}));
  const RecordedThread& thread = threads[1];
  EXPECT_EQ(thread.process, 7);
  EXPECT_EQ(thread.id, 8);
  EXPECT_EQ(thread.user, milliseconds(30));
  EXPECT_EQ(thread.system, milliseconds(40));
  EXPECT_EQ(thread.disk_wait, milliseconds(50));
  EXPECT_EQ(thread.processor, milliseconds(70));
  EXPECT_EQ(thread.run_delay, milliseconds(20));
  EXPECT_EQ(thread.voluntary_switches, 12U);
  EXPECT_EQ(thread.involuntary_switches, 34U);
  EXPECT_EQ(thread.migrations, 56U);
  EXPECT_EQ(thread.asleep(), milliseconds(100 - 70 - 20));
}

TEST(Recorder, WithoutTheFileSchedTheSwitchesAreThoseOfStatus) {
  FakeProc proc;
  proc.thread(7, 7, {.voluntary = 12, .involuntary = 34});
  proc.without_sched(7, 7);
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  const auto threads = threads_of(recorder, milliseconds(1));
  EXPECT_EQ(threads.at(0).voluntary_switches, 12U);
  EXPECT_EQ(threads.at(0).involuntary_switches, 34U);
  EXPECT_FALSE(threads.at(0).migrations);
}

TEST(Recorder, TheWaitForDisksIsUnknownIfTheKernelDoesNotMeasureIt) {
  FakeProc proc;
  proc.thread(7, 7, {.disk_ticks = 5});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  EXPECT_FALSE(threads_of(recorder, milliseconds(1)).at(0).disk_wait);
}

TEST(Recorder, AThreadThatEndsWhileItIsReadKeepsItsLastFigures) {
  FakeProc proc;
  proc.thread(7, 7, {});
  proc.thread(7, 8, {.name = "worker", .voluntary = 5});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(100));
  proc.clear(7, 8);
  recorder.sample(milliseconds(200));
  const auto threads = threads_of(recorder, milliseconds(200));
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[1].voluntary_switches, 5U);
  EXPECT_TRUE(threads[1].ended);
  EXPECT_EQ(threads[1].until, milliseconds(100));
  EXPECT_FALSE(threads[0].ended);
  EXPECT_EQ(threads[0].until, milliseconds(200));
}

TEST(Recorder, AThreadWithTheIdOfAnEndedOneIsAnotherThread) {
  FakeProc proc;
  proc.thread(7, 7, {});
  proc.thread(7, 8, {.name = "first", .started_ticks = 1, .voluntary = 5});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(100));
  proc.thread(7, 8, {.name = "second", .started_ticks = 15, .voluntary = 2});
  recorder.sample(milliseconds(200));
  const auto threads = threads_of(recorder, milliseconds(200));
  ASSERT_EQ(names_of(threads), (std::vector<std::string>{"program", "first", "second"}));
  EXPECT_EQ(threads[1].voluntary_switches, 5U);
  EXPECT_TRUE(threads[1].ended);
  EXPECT_EQ(threads[2].voluntary_switches, 2U);
  EXPECT_EQ(threads[2].began, milliseconds(150));
}

TEST(Recorder, AThreadHasTheNameThatItHadLast) {
  FakeProc proc;
  proc.thread(7, 7, {.name = "fathom"});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  proc.thread(7, 7, {.name = "server"});
  recorder.sample(milliseconds(2));
  EXPECT_EQ(names_of(threads_of(recorder, milliseconds(2))), std::vector<std::string>{"server"});
}

TEST(Recorder, FollowsTheProcessesThatThreadsCreate) {
  FakeProc proc;
  proc.thread(7, 7, {});
  proc.thread(7, 8, {});
  proc.children(7, 8, "20 ");
  proc.thread(20, 20, {.name = "child"});
  proc.children(20, 20, "30 ");
  proc.thread(30, 30, {.name = "grandchild"});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  EXPECT_EQ(names_of(threads_of(recorder, milliseconds(1))),
            (std::vector<std::string>{"program", "program", "child", "grandchild"}));
}

TEST(Recorder, ChildrenAreNotFollowedIfNotRequested) {
  FakeProc proc;
  proc.thread(7, 7, {});
  proc.children(7, 7, "20 ");
  proc.thread(20, 20, {.name = "child"});
  Recorder::Options options = options_with(proc);
  options.children = false;
  Recorder recorder = recorder_of(options);
  recorder.sample(milliseconds(1));
  EXPECT_EQ(names_of(threads_of(recorder, milliseconds(1))), std::vector<std::string>{"program"});
}

TEST(Recorder, SaysIfTheKernelDoesNotListChildren) {
  FakeProc proc;
  EXPECT_TRUE(recorder_of(options_with(proc)).finish(milliseconds(1), {}).lists_children);
  proc.without_children();
  EXPECT_FALSE(recorder_of(options_with(proc)).finish(milliseconds(1), {}).lists_children);
}

TEST(Recorder, AProcessWhoseMainThreadHasEndedRunsAsLongAsAnyThread) {
  FakeProc proc;
  proc.thread(7, 7, {.state = 'Z'});
  proc.thread(7, 8, {});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  EXPECT_TRUE(recorder.any_running());
  proc.remove(7, 8);
  recorder.sample(milliseconds(2));
  EXPECT_FALSE(recorder.any_running());
}

TEST(Recorder, AMainThreadThatNobodyHasWaitedForIsCountedOnce) {
  FakeProc proc;
  proc.thread(7, 7, {.voluntary = 1});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(10));
  proc.thread(7, 7, {.state = 'Z', .voluntary = 4});
  recorder.sample(milliseconds(20));
  recorder.sample(milliseconds(30));
  const auto threads = threads_of(recorder, milliseconds(40));
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].voluntary_switches, 4U);
  EXPECT_EQ(threads[0].until, milliseconds(20));
}

// ---- Totals

TEST(Recorder, WhatNoSampleSawIsTheRestOfTheTotal) {
  FakeProc proc;
  proc.thread(7, 7, {.voluntary = 10, .involuntary = 3});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  proc.remove(7, 7);
  recorder.sample(milliseconds(2));
  const ThreadRecording recording = recorder.finish(milliseconds(3), switches(25, 3));
  EXPECT_EQ(recording.total.voluntary_switches, 25U);
  EXPECT_EQ(recording.unseen.voluntary_switches, 15U);
  EXPECT_EQ(recording.unseen.involuntary_switches, 0U);
  EXPECT_FALSE(recording.unseen.migrations);  // wait4() does not say
  EXPECT_EQ(recording.still_running, 0U);
}

TEST(Recorder, ProcessesThatStillRunAreAddedToTheTotal) {
  FakeProc proc;
  proc.thread(7, 7, {.voluntary = 10});
  proc.children(7, 7, "20 ");
  proc.thread(20, 20, {.voluntary = 4});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  proc.remove(7, 7);
  recorder.unfollow(7);
  recorder.follow(20);
  recorder.sample(milliseconds(2));
  const ThreadRecording recording = recorder.finish(milliseconds(3), switches(12, 0));
  EXPECT_EQ(recording.still_running, 1U);
  EXPECT_EQ(recording.total.voluntary_switches, 12U + 4U);
  EXPECT_EQ(recording.unseen.voluntary_switches, 2U);
}

TEST(Recorder, TheTotalIsNeverLessThanWhatWasSeen) {
  FakeProc proc;
  proc.thread(7, 7, {.voluntary = 10, .migrations = 2});
  Recorder recorder = recorder_of(options_with(proc));
  recorder.sample(milliseconds(1));
  proc.remove(7, 7);
  recorder.sample(milliseconds(2));
  // Its parent ignored SIGCHLD.
  const ThreadRecording recording = recorder.finish(milliseconds(3), switches(1, 0));
  EXPECT_EQ(recording.total.voluntary_switches, 10U);
  EXPECT_EQ(recording.unseen.voluntary_switches, 0U);
  EXPECT_EQ(recording.total.migrations, 2U);
}

TEST(Recorder, ARunningProcessIsRecordedFromNowOn) {
  FakeProc proc;
  proc.thread(7, 7, {.user_ticks = 50, .ran = 500 * kMilli, .voluntary = 100});
  proc.process(7, {.user_ticks = 80});
  Recorder::Options options = options_with(proc);
  options.attached = true;
  Recorder recorder = recorder_of(options);
  recorder.sample(milliseconds(0));
  proc.thread(7, 7, {.user_ticks = 52, .ran = 520 * kMilli, .voluntary = 104});
  proc.thread(7, 8, {.user_ticks = 1, .started_ticks = 5, .ran = 10 * kMilli, .voluntary = 7});
  proc.process(7, {.user_ticks = 90});
  recorder.sample(milliseconds(100));
  const ThreadRecording recording = recorder.finish(milliseconds(100), std::nullopt);
  ASSERT_EQ(recording.threads.size(), 2U);
  EXPECT_EQ(recording.threads[0].voluntary_switches, 4U);
  EXPECT_EQ(recording.threads[0].processor, milliseconds(20));
  EXPECT_EQ(recording.threads[0].began, milliseconds(0));
  EXPECT_EQ(recording.threads[1].voluntary_switches, 7U);
  EXPECT_EQ(recording.total.user, milliseconds(100));
  EXPECT_EQ(recording.unseen.user, milliseconds(70));  // of threads that have ended meanwhile
  EXPECT_EQ(recording.total.voluntary_switches, 11U);
  EXPECT_FALSE(recording.unseen.voluntary_switches);
}

// ---- Samples over time

TEST(Recorder, KeepsTheSamplesThatDiffer) {
  FakeProc proc;
  Recorder::Options options = options_with(proc);
  options.keep_samples = true;
  Recorder recorder = recorder_of(options);
  int time = 0;
  for (const std::uint64_t count : {1U, 4U, 4U, 9U}) {
    proc.thread(7, 7, {.voluntary = count});
    recorder.sample(milliseconds(++time));
  }
  const ThreadRecording recording = recorder.finish(milliseconds(4), ThreadFigures());
  EXPECT_EQ(recording.times.size(), 4U);
  const RecordedThread& thread = recording.threads.at(0);
  ASSERT_EQ(thread.samples.size(), 3U);
  EXPECT_EQ(thread.figures_at(milliseconds(0)), ThreadFigures());
  EXPECT_EQ(thread.figures_at(milliseconds(1)).voluntary_switches, 1U);
  EXPECT_EQ(thread.figures_at(milliseconds(3)).voluntary_switches, 4U);
  EXPECT_EQ(thread.figures_at(milliseconds(99)).voluntary_switches, 9U);
}

TEST(Recorder, DropsEverySecondRoundIfThereAreTooManySamples) {
  FakeProc proc;
  Recorder::Options options = options_with(proc);
  options.keep_samples = true;
  options.most_samples = 10;
  Recorder recorder = recorder_of(options);
  for (int time = 1; time <= 200; ++time) {
    // Changes in every third round only.
    proc.thread(7, 7, {.voluntary = static_cast<std::uint64_t>(time / 3)});
    recorder.sample(milliseconds(time));
  }
  const ThreadRecording recording = recorder.finish(milliseconds(200), ThreadFigures());
  const RecordedThread& thread = recording.threads.at(0);
  EXPECT_LE(thread.samples.size(), 10U);
  EXPECT_GE(recording.times.size(), 5U);
  for (const nanoseconds time : recording.times) {
    const auto milli = static_cast<std::uint64_t>(time / milliseconds(1));
    EXPECT_EQ(thread.figures_at(time).voluntary_switches, milli / 3) << milli;
  }
}

// ---- From records

class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest() {
    Recorder::Options options = options_with(proc_);
    options.has_records = true;
    options.keep_spans = true;
    options.keep_samples = true;
    recorder_.emplace(options);
    recorder_->follow(7);
  }

  void apply(Kind kind, long thread, int milli, SwitchRecord record = {}) {
    record.kind = kind;
    record.process = record.process == 0 ? 7 : record.process;
    record.thread = thread;
    record.time = kBegin + static_cast<std::uint64_t>(milli) * kMilli;
    recorder_->apply(record, kBegin);
  }
  void begin_program() { apply(Kind::named, 7, 0, {.executes = true, .name = "program"}); }
  std::vector<RecordedThread> finish(int milli) {
    return threads_of(*recorder_, milliseconds(milli));
  }

  // When the thread ran, in milliseconds.
  static std::string runs_of(const RecordedThread& thread) {
    std::string runs;
    for (const ThreadSpan& span : thread.spans) {
      if (!span.runs) continue;
      runs += std::to_string(span.begin / milliseconds(1)) + '-';
      runs += std::to_string(span.end / milliseconds(1)) + ' ';
    }
    return runs;
  }

  static constexpr std::uint64_t kBegin = 12'345'678;
  FakeProc proc_;
  std::optional<Recorder> recorder_;
};

TEST_F(RecordsTest, AThreadThatNoSampleSawHasItsSwitchesAndItsTime) {
  begin_program();
  apply(Kind::begins, 8, 10, {.parent = 7});
  apply(Kind::runs, 8, 11, {.cpu = 0});
  apply(Kind::named, 8, 12, {.name = "brief"});
  apply(Kind::pauses, 8, 15);
  apply(Kind::runs, 8, 20, {.cpu = 1});
  apply(Kind::pauses, 8, 22, {.preempted = true});
  apply(Kind::runs, 8, 23, {.cpu = 1});
  apply(Kind::ends, 8, 24);
  const auto threads = finish(30);
  ASSERT_EQ(names_of(threads), (std::vector<std::string>{"program", "brief"}));
  const RecordedThread& brief = threads[1];
  EXPECT_EQ(brief.voluntary_switches, 1U);
  EXPECT_EQ(brief.involuntary_switches, 1U);
  EXPECT_EQ(brief.migrations, 1U);
  EXPECT_EQ(brief.processor, milliseconds(4 + 2 + 1));
  EXPECT_FALSE(brief.user || brief.run_delay);
  EXPECT_TRUE(brief.ended);
  EXPECT_EQ(brief.began, milliseconds(10));
  EXPECT_EQ(brief.until, milliseconds(24));
  ASSERT_EQ(brief.spans.size(), 4U);
  EXPECT_TRUE(brief.spans[0].runs && brief.spans[0].begin == milliseconds(11) &&
              brief.spans[0].end == milliseconds(15) && brief.spans[0].cpu == 0);
  EXPECT_TRUE(!brief.spans[2].runs && brief.spans[2].begin == milliseconds(22) &&
              brief.spans[2].end == milliseconds(23));
}

TEST_F(RecordsTest, ANewThreadHasTheNameOfItsParentUntilItGetsOne) {
  begin_program();
  apply(Kind::begins, 8, 1, {.parent = 7});
  EXPECT_EQ(names_of(finish(2)), (std::vector<std::string>{"program", "program"}));
}

TEST_F(RecordsTest, RecordsAddToTheLastSample) {
  begin_program();
  apply(Kind::pauses, 7, 5);
  proc_.thread(7, 7, {.user_ticks = 1, .ran = 6 * kMilli, .voluntary = 10, .migrations = 2});
  recorder_->sample(milliseconds(10));
  apply(Kind::pauses, 7, 9);  // known late, but part of the sample
  apply(Kind::runs, 7, 11);
  apply(Kind::pauses, 7, 13);
  const auto threads = finish(20);
  EXPECT_EQ(threads.at(0).voluntary_switches, 11U);
  EXPECT_EQ(threads.at(0).processor, milliseconds(6 + 2));
  EXPECT_EQ(threads.at(0).migrations, 2U);
  EXPECT_EQ(threads.at(0).user, milliseconds(10));
}

TEST_F(RecordsTest, TheTimeOfARunDuringASampleIsCountedOnce) {
  begin_program();
  proc_.thread(7, 7, {.ran = 10 * kMilli});
  recorder_->sample(milliseconds(10));
  apply(Kind::pauses, 7, 14);
  EXPECT_EQ(finish(20).at(0).processor, milliseconds(14));
}

TEST_F(RecordsTest, AThreadThatASampleFoundBeforeItsRecordIsOneThread) {
  begin_program();
  proc_.thread(7, 7, {});
  proc_.thread(7, 8, {.started_ticks = 0});
  recorder_->sample(milliseconds(5));
  apply(Kind::begins, 8, 4, {.parent = 7});
  apply(Kind::ends, 8, 6);
  proc_.remove(7, 8);
  recorder_->sample(milliseconds(10));
  EXPECT_EQ(finish(20).size(), 2U);
}

TEST_F(RecordsTest, AThreadThatASampleFoundAsItEndedIsOneThread) {
  begin_program();
  proc_.thread(7, 7, {});
  proc_.thread(7, 8, {.state = 'X'});
  recorder_->sample(milliseconds(5));
  apply(Kind::begins, 8, 3, {.parent = 7});
  apply(Kind::ends, 8, 4);
  EXPECT_EQ(finish(20).size(), 2U);
}

TEST_F(RecordsTest, TheCommandIsOneThreadHoweverLateItExecutes) {
  // It was created long before, and has waited for the rings.
  apply(Kind::named, 7, 500, {.executes = true, .name = "program"});
  proc_.thread(7, 7, {.started_ticks = 1, .voluntary = 3});
  recorder_->sample(milliseconds(510));
  apply(Kind::ends, 7, 600);
  proc_.thread(7, 7, {.state = 'Z', .started_ticks = 1, .voluntary = 5});
  recorder_->sample_last(7, milliseconds(610));
  const auto threads = finish(620);
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].voluntary_switches, 5U);
  EXPECT_EQ(threads[0].began, milliseconds(10));
  EXPECT_EQ(threads[0].until, milliseconds(600));
}

TEST_F(RecordsTest, AnIdThatIsUsedAgainWithoutARecordOfTheEndIsAnotherThread) {
  begin_program();
  apply(Kind::begins, 8, 1, {.parent = 7});
  apply(Kind::begins, 8, 50, {.parent = 7});
  EXPECT_EQ(finish(60).size(), 3U);
}

TEST_F(RecordsTest, AThreadWhoseEndIsNotRecordedHasEndedIfNoSampleFindsIt) {
  begin_program();
  apply(Kind::begins, 8, 1, {.parent = 7});
  proc_.thread(7, 7, {});
  recorder_->sample(milliseconds(100));
  const ThreadRecording recording = recorder_->finish(milliseconds(100), ThreadFigures());
  EXPECT_FALSE(recording.threads.at(0).ended);
  EXPECT_TRUE(recording.threads.at(1).ended);
}

TEST_F(RecordsTest, AThreadWhoseRecordsEndLivesOnInSamples) {
  begin_program();
  apply(Kind::ends, 7, 5);  // at exec() of a program with other privileges
  proc_.thread(7, 7, {.name = "su", .voluntary = 3});
  recorder_->sample(milliseconds(10));
  proc_.thread(7, 7, {.name = "su", .voluntary = 8});
  recorder_->sample(milliseconds(20));
  EXPECT_TRUE(recorder_->any_running());
  const auto threads = finish(20);
  ASSERT_EQ(names_of(threads), std::vector<std::string>{"su"});
  EXPECT_FALSE(threads[0].ended);
  EXPECT_EQ(threads[0].until, milliseconds(20));
  EXPECT_EQ(threads[0].voluntary_switches, 8U);
}

TEST_F(RecordsTest, ARunBeginsAnewIfTheRecordOfThePauseBeforeItWasLost) {
  begin_program();
  apply(Kind::pauses, 7, 1);
  apply(Kind::runs, 7, 2, {.cpu = 0});
  apply(Kind::runs, 7, 50, {.cpu = 1});
  apply(Kind::pauses, 7, 52);
  const auto threads = finish(60);
  EXPECT_EQ(runs_of(threads.at(0)), "0-1 50-52 ");
  EXPECT_EQ(threads[0].processor, milliseconds(1 + 2));
}

TEST_F(RecordsTest, LostRecordsLeaveUnknownWhatRanOnTheirCpu) {
  begin_program();
  apply(Kind::begins, 8, 1, {.parent = 7});
  apply(Kind::runs, 8, 1, {.cpu = 1});
  apply(Kind::lost, 0, 40, {.cpu = 0, .count = 3});
  apply(Kind::pauses, 7, 50);
  apply(Kind::pauses, 8, 51);
  apply(Kind::runs, 7, 52);
  apply(Kind::pauses, 7, 53);
  const auto threads = finish(60);
  EXPECT_EQ(runs_of(threads.at(0)), "52-53 ");
  EXPECT_EQ(runs_of(threads.at(1)), "1-51 ");
}

TEST_F(RecordsTest, LostRecordsLeaveUnknownHowLongAThreadWasKeptFromRunning) {
  begin_program();
  apply(Kind::pauses, 7, 5, {.preempted = true});
  apply(Kind::lost, 0, 40, {.cpu = 3, .count = 2});
  apply(Kind::runs, 7, 50);
  apply(Kind::pauses, 7, 51, {.preempted = true});
  apply(Kind::pauses, 7, 55);  // it has run, then waited
  apply(Kind::runs, 7, 90);
  const auto threads = finish(90);
  for (const ThreadSpan& span : threads.at(0).spans) EXPECT_TRUE(span.runs);
}

TEST_F(RecordsTest, AThreadWhoseEndIsNotRecordedHasNoSpanThatEndsBeforeItBegins) {
  begin_program();
  apply(Kind::begins, 8, 1, {.parent = 7});
  apply(Kind::runs, 8, 5);
  proc_.thread(7, 7, {});
  recorder_->sample(milliseconds(100));
  const auto threads = finish(100);
  EXPECT_TRUE(threads.at(1).ended);
  EXPECT_EQ(runs_of(threads[1]), "");
}

TEST_F(RecordsTest, RecordsOfUnknownThreadsAreIgnored) {
  apply(Kind::runs, 99, 1);
  apply(Kind::pauses, 99, 2);
  apply(Kind::ends, 99, 3);
  apply(Kind::named, 99, 4, {.process = 99, .name = "stranger"});
  EXPECT_TRUE(finish(5).empty());
}

TEST_F(RecordsTest, SpansBeyondTheLimitAreCounted) {
  Recorder::Options options = options_with(proc_);
  options.has_records = true;
  options.keep_spans = true;
  options.most_spans = 3;
  recorder_.emplace(options);
  recorder_->follow(7);
  begin_program();
  for (int time = 0; time < 10; ++time) {
    apply(Kind::runs, 7, 2 * time);
    apply(Kind::pauses, 7, 2 * time + 1);
  }
  const ThreadRecording recording = recorder_->finish(milliseconds(100), ThreadFigures());
  EXPECT_EQ(recording.threads.at(0).spans.size(), 3U);
  EXPECT_EQ(recording.lost_spans, 7U);
}

}  // namespace
}  // namespace fathom::diag

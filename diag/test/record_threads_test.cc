// Tests of recordings of real programs, with the kernel's records where it allows them, and
// without.

#include "fathom/diag/record_threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "exit_code_of_child.h"
#include "fathom/base/error.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "threads/received_signals.h"

namespace fathom::diag {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

using Words = std::vector<std::string>;

CommandRecording record(Words words, const RecordOptions& options = {}) {
  words.insert(words.begin(), FATHOM_NAMED_THREADS);
  words.insert(words.begin(), {"sh", "-c", "exec \"$0\" \"$@\" >/dev/null"});
  return record_command(words, options);
}

std::vector<RecordedThread> named(const CommandRecording& recording, const std::string& name) {
  std::vector<RecordedThread> found;
  for (const RecordedThread& thread : recording.threads.threads) {
    if (thread.name == name) found.push_back(thread);
  }
  return found;
}

std::uint64_t switches_of(const ThreadFigures& figures) {
  return figures.voluntary_switches.value_or(0) + figures.involuntary_switches.value_or(0);
}

std::uint64_t switches_of(const std::vector<RecordedThread>& threads) {
  std::uint64_t sum = 0;
  for (const RecordedThread& thread : threads) sum += switches_of(thread);
  return sum;
}

RecordOptions sampled() {
  RecordOptions options;
  options.interval = milliseconds(1);
  options.source = SwitchSource::none;
  return options;
}

// Which names samples alone see depends on when they are taken, so tests about names use records
// where they can, and otherwise threads that live long.
RecordOptions frequent() {
  RecordOptions options = sampled();
  options.source = SwitchSource::automatic;
  return options;
}

bool kernel_allows_records() {
  RecordOptions options;
  options.source = SwitchSource::records;
  try {
    return record_command({"true"}, options).threads.has_records;
  } catch (const base::Error&) {
    return false;
  }
}

// ---- How the command ends

TEST(RecordCommand, ReturnsTheExitCode) {
  const CommandRecording recording = record({"exit:3"});
  EXPECT_EQ(recording.code, 3);
  EXPECT_EQ(recording.signal, 0);
}

TEST(RecordCommand, ReturnsTheSignalThatEndedTheCommand) {
  EXPECT_EQ(record({"kill:9"}).signal, SIGKILL);
}

TEST(RecordCommand, RefusesWhatCannotBeRun) {
  const auto code_of = [](const Words& words) {
    try {
      static_cast<void>(record_command(words));
    } catch (const base::SystemError& error) {
      return error.code();
    }
    return 0;
  };
  EXPECT_EQ(code_of({"/no/such/program"}), ENOENT);
  EXPECT_EQ(code_of({"/etc/passwd"}), EACCES);
  EXPECT_EQ(code_of({"/"}), EACCES);
  EXPECT_THROW(static_cast<void>(record_command({})), std::invalid_argument);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child is left behind
}

TEST(RecordCommand, DoesNotTakeTheExitCodesOfOtherChildren) {
  const pid_t other = ::fork();
  if (other == 0) ::_exit(5);
  static_cast<void>(record({"x:ends:3"}));
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(RecordCommand, WorksIfTheCallerIgnoresItsChildren) {
  EXPECT_EQ(exit_code_of_child([] {
              ::signal(SIGCHLD, SIG_IGN);
              return record({"exit:3"}).code == 3;
            }),
            0);
}

TEST(RecordCommand, GivesTheCommandTheSignalMaskOfTheCaller) {
  EXPECT_EQ(
      exit_code_of_child([] {
        sigset_t mask;
        ::sigemptyset(&mask);
        ::sigaddset(&mask, SIGUSR1);
        ::sigprocmask(SIG_SETMASK, &mask, nullptr);
        // The 10th signal is SIGUSR1.
        const Words words = {"grep", "-q", "^SigBlk:\t0000000000000200$", "/proc/self/status"};
        const int code = record_command(words).code;
        sigset_t now;
        ::sigprocmask(SIG_SETMASK, nullptr, &now);
        return code == 0 && ::sigismember(&now, SIGUSR1) == 1 && ::sigismember(&now, SIGINT) == 0;
      }),
      0);
}

// ---- What threads did

TEST(RecordCommand, TheTotalHasTheSwitchesThatThreadsMade) {
  // Nine tenths: a nap ends early if the machine holds the thread up for all of it.
  const CommandRecording recording = record({"sleeper:naps:200", "worker:spins:30"}, sampled());
  EXPECT_FALSE(recording.threads.has_records);
  EXPECT_GT(recording.threads.rounds, 1U);
  EXPECT_GT(switches_of(recording.threads.total), 180U);
  EXPECT_GE(recording.threads.total.processor.value_or(nanoseconds(0)), milliseconds(30));
}

TEST(RecordCommand, WhatSamplesMissIsInTheRest) {
  RecordOptions options = sampled();
  options.interval = std::chrono::hours(1);
  const CommandRecording recording = record({"brief:ends:50"}, options);
  EXPECT_LE(named(recording, "brief").size(), 2U);  // by the first sample and the last
  EXPECT_GE(switches_of(recording.threads.unseen), 43U);
}

TEST(RecordCommand, TheTotalIsTheSumOfTheThreadsAndTheRest) {
  for (const SwitchSource source : {SwitchSource::none, SwitchSource::automatic}) {
    RecordOptions options = sampled();
    options.source = source;
    const CommandRecording recording =
        record({"sleeper:naps:20", "fork", "brief:ends:10", "worker:spins:5"}, options);
    ThreadFigures sum = recording.threads.unseen;
    for (const RecordedThread& thread : recording.threads.threads) sum += thread;
    EXPECT_EQ(sum.voluntary_switches, recording.threads.total.voluntary_switches);
    EXPECT_EQ(sum.involuntary_switches, recording.threads.total.involuntary_switches);
    EXPECT_EQ(sum.processor, recording.threads.total.processor);
  }
}

TEST(RecordCommand, RecordsSeeEveryThreadHoweverShort) {
  if (!kernel_allows_records()) GTEST_SKIP() << "the kernel refuses perf_event_open";
  RecordOptions options;
  options.interval = std::chrono::hours(1);
  options.source = SwitchSource::records;
  const CommandRecording recording = record({"brief:ends:50", "sleeper:naps:100"}, options);
  EXPECT_TRUE(recording.threads.has_records);
  EXPECT_EQ(recording.threads.lost_records, 0U);
  EXPECT_EQ(named(recording, "brief").size(), 50U);
  EXPECT_GE(switches_of(named(recording, "brief")), 45U);
  EXPECT_GE(switches_of(named(recording, "sleeper")), 90U);
  for (const RecordedThread& thread : named(recording, "brief")) {
    EXPECT_TRUE(thread.ended);
    EXPECT_GT(thread.processor.value_or(nanoseconds(0)), nanoseconds(0));
    EXPECT_LT(thread.began, thread.until);
  }
}

TEST(RecordCommand, EveryThreadIsRecordedOnce) {
  if (!kernel_allows_records()) GTEST_SKIP() << "the kernel refuses perf_event_open";
  RecordOptions options;
  options.interval = milliseconds(1);
  options.source = SwitchSource::records;
  const CommandRecording recording =
      record({"brief:ends:100", "sleeper:naps:100", "fork", "brief:ends:100"}, options);
  // The program, its thread, and the child with its threads.
  EXPECT_EQ(named(recording, "brief").size(), 200U);
  EXPECT_EQ(recording.threads.threads.size(), 203U);
}

TEST(RecordCommand, SpansAreKeptIfRequested) {
  if (!kernel_allows_records()) GTEST_SKIP() << "the kernel refuses perf_event_open";
  RecordOptions options;
  options.source = SwitchSource::records;
  options.keep_spans = true;
  const CommandRecording recording = record({"sleeper:naps:100"}, options);
  const auto sleepers = named(recording, "sleeper");
  ASSERT_EQ(sleepers.size(), 1U);
  EXPECT_GE(sleepers[0].spans.size(), 90U);
  for (const ThreadSpan& span : sleepers[0].spans) EXPECT_LE(span.begin, span.end);
}

TEST(RecordCommand, ProcessesThatTheCommandStartsAreFollowed) {
  const CommandRecording recording = record({"fork", "sleeper:naps:500"}, frequent());
  EXPECT_EQ(named(recording, "child").size(), 1U);
  EXPECT_EQ(named(recording, "sleeper").size(), 1U);
  std::set<long> processes;
  for (const RecordedThread& thread : recording.threads.threads) processes.insert(thread.process);
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_EQ(recording.threads.still_running, 0U);
}

TEST(RecordCommand, ChildrenAreOnlyInTheTotalIfNotRequested) {
  RecordOptions options = frequent();
  options.children = false;
  const CommandRecording recording = record({"fork", "sleeper:naps:50"}, options);
  EXPECT_TRUE(named(recording, "sleeper").empty());
  EXPECT_GE(switches_of(recording.threads.unseen), 45U);
}

TEST(RecordCommand, OrphansAreAdopted) {
  testing::TempTree tree;
  tree.write("running", "");
  const std::string file = tree.path("running");
  const std::string program = FATHOM_NAMED_THREADS;
  // The inner shell ends at once, the outer one when the orphan has removed the file.
  const std::string script = "((" + program + " sleeper:naps:500 >/dev/null; rm " + file +
                             ") & ); " + program + " while:" + file + " >/dev/null";
  const CommandRecording recording = record_command({"sh", "-c", script}, frequent());
  EXPECT_EQ(named(recording, "sleeper").size(), 1U);
}

TEST(RecordCommand, AProcessThatOutlivesTheCommandIsCounted) {
  testing::TempTree tree;  // its end ends the process
  tree.write("running", "");
  const std::string program = FATHOM_NAMED_THREADS;
  const CommandRecording recording = record_command(
      {"sh", "-c", program + " while:" + tree.path("running") + " >/dev/null 2>&1 & exit 0"},
      sampled());
  EXPECT_EQ(recording.threads.still_running, 1U);
}

TEST(RecordCommand, RecordsThatTheKernelRefusesAreAnErrorOnlyIfRequired) {
  const auto body = [] {
    if (kernel_allows_records()) return;
    RecordOptions options;
    if (record_command({"true"}, options).threads.why_no_records.find("perf_event_open") != 0) {
      throw base::Error("the reason is missing");
    }
  };
  body();
  EXPECT_EQ(testing::as_nobody(body), 0);
}

// ---- Running processes

TEST(RecordProcess, ThatDoesNotExistIsRefused) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_THROW(static_cast<void>(record_process(child)), base::SystemError);
}

pid_t start_named_threads() {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::execl(FATHOM_NAMED_THREADS, "program", "sleeper:naps:50", "-", "kill:9", nullptr);
  ::_exit(127);
}

TEST(RecordProcess, EndsWhenTheProcessEnds) {
  const pid_t child = start_named_threads();
  // The child stays a zombie, for which nobody waits meanwhile.
  const ThreadRecording recording = record_process(child, sampled());
  EXPECT_GE(recording.threads.size(), 1U);
  EXPECT_FALSE(recording.has_records);
  ::waitpid(child, nullptr, 0);
}

TEST(RecordProcess, EndsWithTheProcessBeforeTheNextSample) {
  RecordOptions options;
  options.interval = std::chrono::hours(1);
  const pid_t child = start_named_threads();
  const ThreadRecording recording = record_process(child, options);
  EXPECT_LE(recording.rounds, 2U);
  for (const RecordedThread& thread : recording.threads) EXPECT_TRUE(thread.ended);
  ::waitpid(child, nullptr, 0);
}

TEST(RecordProcess, EndsWhenTheTimeIsOver) {
  const ThreadRecording recording =
      record_process(::getppid(), {}, std::chrono::nanoseconds(milliseconds(20)));
  EXPECT_GE(recording.elapsed, milliseconds(20));
  EXPECT_GE(recording.threads.size(), 1U);
}

// But for the first, they do not fit into the milliseconds of poll(), and the last not into
// nanoseconds.
TEST(RecordProcess, AnyIntervalEndsWhenTheTimeIsOver) {
  for (const milliseconds interval :
       {milliseconds(std::chrono::hours(1)), milliseconds(4'000'000'000), milliseconds::max()}) {
    RecordOptions options;
    options.interval = interval;
    EXPECT_LE(record_process(::getppid(), options, milliseconds(20)).rounds, 2U);
  }
}

TEST(RecordProcess, ATimeThatNoClockReachesEndsWithTheProcess) {
  const pid_t child = start_named_threads();
  const ThreadRecording recording = record_process(child, sampled(), std::chrono::hours::max());
  for (const RecordedThread& thread : recording.threads) EXPECT_TRUE(thread.ended);
  ::waitpid(child, nullptr, 0);
}

TEST(RecordProcess, NeedsAnInterval) {
  for (const milliseconds interval : {milliseconds(0), milliseconds(-1), milliseconds::min()}) {
    RecordOptions options;
    options.interval = interval;
    EXPECT_THROW(static_cast<void>(record_process(::getppid(), options)), base::Error);
    EXPECT_THROW(static_cast<void>(record_command({"true"}, options)), base::Error);
  }
}

// Other code of the thread may have changed it meanwhile.
TEST(ReceivedSignals, LeaveTheRestOfTheMaskAlone) {
  EXPECT_EQ(exit_code_of_child([] {
              const auto block = [](int signal) {
                sigset_t mask;
                ::sigemptyset(&mask);
                ::sigaddset(&mask, signal);
                ::sigprocmask(SIG_BLOCK, &mask, nullptr);
              };
              block(SIGUSR1);
              {
                const ReceivedSignals signals;
                block(SIGWINCH);
              }
              sigset_t now;
              ::sigprocmask(SIG_SETMASK, nullptr, &now);
              return ::sigismember(&now, SIGUSR1) == 1 && ::sigismember(&now, SIGWINCH) == 1 &&
                     ::sigismember(&now, SIGTERM) == 0 && ::sigismember(&now, SIGCHLD) == 0;
            }),
            0);
}

TEST(RecordProcess, EndsAtASignal) {
  EXPECT_EQ(exit_code_of_child([] {
              sigset_t mask;
              ::sigemptyset(&mask);
              ::sigaddset(&mask, SIGTERM);
              ::sigprocmask(SIG_BLOCK, &mask, nullptr);
              ::raise(SIGTERM);
              return !record_process(::getppid()).threads.empty();
            }),
            0);
}

}  // namespace
}  // namespace fathom::diag

// Tests of the report of report_crashes(), with programs that crash.

#include "fathom/base/crash_report.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "fathom/testing/subprocess.h"

namespace fathom::base {
namespace {

using fathom::testing::run;
using fathom::testing::RunResult;

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) found.push_back(line);
  }
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The output of the addr2line commands in the report.
std::string symbolized(const std::string& report) {
  std::string text;
  for (const std::string& line : lines_with(report, "addr2line -Cfipe ")) {
    text += run(words_of(line)).out;
  }
  return text;
}

struct Case {
  const char* way;
  int signal;
  const char* name;
};

class EverySignal : public ::testing::TestWithParam<Case> {};

TEST_P(EverySignal, IsNamedAndEndsTheProgramAsItWouldHave) {
  for (const char* const program : {CRASHING, CRASHING_RELEASE, CRASHING_STRIPPED}) {
    const RunResult result = run({program, GetParam().way});
    EXPECT_EQ(result.status, 128 + GetParam().signal) << result.err;
    EXPECT_TRUE(result.err.starts_with(std::string("crash: ") + GetParam().name)) << result.err;
    EXPECT_TRUE(has(result.err, "\naddr2line -Cfipe ")) << result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(CrashReport, EverySignal,
                         ::testing::Values(Case{"segv", SIGSEGV, "SIGSEGV at 0x10, thread "},
                                           Case{"bus", SIGBUS, "SIGBUS at 0x"},
                                           Case{"fpe", SIGFPE, "SIGFPE"},
                                           Case{"ill", SIGILL, "SIGILL at 0x"},
                                           Case{"breakpoint", SIGTRAP, "SIGTRAP, thread "},
                                           Case{"abort", SIGABRT, "SIGABRT, thread "},
                                           Case{"sent", SIGSEGV, "SIGSEGV, sent by process "}),
                         [](const auto& which) { return std::string(which.param.way); });

TEST(CrashReport, PrintsCommandsThatNameFunctionsAndLines) {
  const std::string calls = symbolized(run({CRASHING, "segv"}).err);
  EXPECT_TRUE(has(calls, "follow_wild_pointer() at ")) << calls;
  EXPECT_TRUE(has(calls, "crash_here() at ")) << calls;
  EXPECT_TRUE(has(calls, "crashing.cc:")) << calls;
  EXPECT_TRUE(has(calls, "main at ")) << calls;
}

// Built with -O2, without frame pointers and debug information.
TEST(CrashReport, NamesFunctionsOfARelease) {
  const std::string calls = symbolized(run({CRASHING_RELEASE, "segv"}).err);
  EXPECT_TRUE(has(calls, "crash_here()")) << calls;
  EXPECT_TRUE(has(calls, "main")) << calls;
}

TEST(CrashReport, BeginsWithTheCallThatCrashed) {
  const std::string report = run({CRASHING_RELEASE, "segv"}).err;
  const std::string calls = symbolized(report);
  EXPECT_FALSE(has(calls, "on_crash")) << calls;
  EXPECT_FALSE(has(calls, "Unwound")) << calls;
}

TEST(CrashReport, ShowsTheCallerOfAnAddressWithoutCode) {
  const RunResult result = run({CRASHING, "nothing"});
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_TRUE(has(result.err, "\n  0x0\n  ")) << result.err;
  EXPECT_TRUE(has(symbolized(result.err), "call_nothing() at ")) << result.err;
}

TEST(CrashReport, RecognizesAStackOverflow) {
  for (const char* const way : {"overflow", "thread-overflow", "worker-overflow"}) {
    const RunResult result = run({CRASHING, way});
    EXPECT_EQ(result.status, 128 + SIGSEGV);
    EXPECT_TRUE(has(result.err, "crash: SIGSEGV: stack overflow at 0x")) << result.err;
    EXPECT_TRUE(has(result.err, " more times\n")) << result.err;
    EXPECT_TRUE(has(result.err, " outer calls or more\n")) << result.err;
    EXPECT_TRUE(has(symbolized(result.err), "overflow_stack(int) at ")) << result.err;
  }
}

TEST(CrashReport, SaysWhenTheProcessorReportsNoAddress) {
#if defined(__x86_64__)
  const RunResult result = run({CRASHING, "impossible"});
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_TRUE(has(result.err, "crash: SIGSEGV at an address that the processor does not report, "))
      << result.err;
#else
  GTEST_SKIP() << "processors other than x86-64 report the address";
#endif
}

// The kernel reports no address for the instruction int3, either.
TEST(CrashReport, NamesNoCauseOfABreakpoint) {
#if defined(__x86_64__)
  const RunResult result = run({CRASHING, "breakpoint-instruction"});
  EXPECT_EQ(result.status, 128 + SIGTRAP) << result.err;
  EXPECT_TRUE(result.err.starts_with("crash: SIGTRAP, thread ")) << result.err;
  EXPECT_TRUE(has(symbolized(result.err), "meet_a_breakpoint() at ")) << result.err;
#else
  GTEST_SKIP() << "the instruction is one of x86-64";
#endif
}

TEST(CrashReport, ReportsACrashAfterThatOfAVforkChild) {
  const RunResult result = run({CRASHING, "vfork"});
  EXPECT_EQ(result.status, 128 + SIGSEGV) << result.err;
  EXPECT_EQ(lines_with(result.err, "crash: SIGSEGV").size(), 2u) << result.err;
}

TEST(CrashReport, ReportsACrashAfterOneThatTheProgramSurvived) {
  const RunResult result = run({CRASHING, "survived"});
  EXPECT_EQ(result.status, 128 + SIGSEGV) << result.err;
  EXPECT_EQ(lines_with(result.err, "crash: SIGFPE").size(), 1u) << result.err;
  EXPECT_EQ(lines_with(result.err, "crash: SIGSEGV").size(), 1u) << result.err;
}

TEST(CrashStack, IsAllocatedOnlyIfAHandlerUsesIt) {
  stack_t before = {};
  ASSERT_EQ(::sigaltstack(nullptr, &before), 0);
  const auto has_new_one = [&before] {
    const CrashStack stack(CrashStack::IfWanted{});
    stack_t now = {};
    return ::sigaltstack(nullptr, &now) == 0 && now.ss_sp != before.ss_sp;
  };
  struct sigaction kept = {};
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGSEGV, &action, &kept), 0);
  EXPECT_FALSE(has_new_one());
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(::sigaction(SIGSEGV, &action, nullptr), 0);
  EXPECT_TRUE(has_new_one());
  ASSERT_EQ(::sigaction(SIGSEGV, &kept, nullptr), 0);
}

TEST(CrashStack, RestoresThePreviousStack) {
  stack_t before = {};
  stack_t after = {};
  ASSERT_EQ(::sigaltstack(nullptr, &before), 0);
  {
    const CrashStack outer;
    stack_t outers = {};
    ASSERT_EQ(::sigaltstack(nullptr, &outers), 0);
    EXPECT_NE(outers.ss_sp, before.ss_sp);
    { const CrashStack inner; }
    ASSERT_EQ(::sigaltstack(nullptr, &after), 0);
    EXPECT_EQ(after.ss_sp, outers.ss_sp);
  }
  ASSERT_EQ(::sigaltstack(nullptr, &after), 0);
  EXPECT_EQ(after.ss_sp, before.ss_sp);
  EXPECT_EQ(after.ss_flags, before.ss_flags);
}

TEST(CrashReport, WorksInAnyThread) {
  const RunResult result = run({CRASHING, "thread"});
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_TRUE(has(symbolized(result.err), "crash_here() at ")) << result.err;
}

TEST(CrashReport, MisleadsNoTerminalByTheNameOfAThread) {
  const RunResult result = run({CRASHING, "misleading"});
  EXPECT_TRUE(has(result.err, " '????? na\xc3\xafve'\n")) << result.err;
}

// Whether two threads meet in the handler depends on the scheduler, hence many runs.
TEST(CrashReport, IsPrintedOnceWhenSeveralThreadsCrash) {
  for (int i = 0; i < 20; ++i) {
    const RunResult result = run({CRASHING, "at-once"});
    EXPECT_EQ(result.status, 128 + SIGSEGV);
    ASSERT_EQ(lines_with(result.err, "crash: ").size(), 1u) << result.err;
    ASSERT_TRUE(has(result.err, "\naddr2line ")) << result.err;  // and it is complete
  }
}

TEST(CrashReport, CallsThePreviousHandler) {
  const RunResult result = run({CRASHING, "segv", "handler"});
  EXPECT_EQ(result.status, 7);
  EXPECT_TRUE(has(result.err, "crash: SIGSEGV")) << result.err;
}

// If unwinding, allocating or locking happened for the first time in the handler, it would deadlock
// or end the program in another way.
TEST(CrashReport, DoesNotAllocateWhenMallocCrashes) {
  const RunResult result = run({CRASHING_MALLOC});
  EXPECT_EQ(result.status, 128 + SIGSEGV) << result.err;
  EXPECT_FALSE(has(result.err, "allocated in the handler")) << result.err;
  EXPECT_TRUE(has(symbolized(result.err), "malloc")) << result.err;
}

TEST(CrashReport, DoesNotTakeTheLockOfTheDynamicLinker) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  const RunResult result = run({CRASHING, "modules"});
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_TRUE(has(symbolized(result.err), "crash_here() at ")) << result.err;
#else
  GTEST_SKIP() << "this C library has no _dl_find_object(): its unwinder takes that lock";
#endif
}

}  // namespace
}  // namespace fathom::base

// Tests of the output of std::terminate(), with programs that end by it.

#include "fathom/base/last_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <regex>
#include <string>

#include "fathom/base/error.h"
#include "fathom/testing/subprocess.h"
#include "fathom/testing/temp_tree.h"
#include "log_socket.h"

namespace fathom::base {
namespace {

using fathom::testing::run;
using fathom::testing::RunResult;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// How often the text contains the part.
int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(LastWords, ShowTheExceptionAndWhereItWasThrown) {
  const std::string first =
      "terminate: unhandled exception: std::runtime_error: "
      "a test error\n  thrown in throw_traced_error() at ";
  for (const char* const way : {"throw", "throw-noexcept", "throw-thread"}) {
    const RunResult result = run({CRASHING, way});
    EXPECT_EQ(result.status, 128 + SIGABRT);
    EXPECT_TRUE(result.err.starts_with(first)) << result.err;
    EXPECT_TRUE(holds(result.err, "     0  throw_traced_error() at ")) << result.err;
    EXPECT_FALSE(holds(result.err, "crash: ")) << result.err;  // one report is enough
  }
}

TEST(LastWords, KeepTheStackOfTheThreadThatThrew) {
  const RunResult result = run({CRASHING, "rethrow"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_TRUE(holds(result.err, "     0  throw_traced_error() at ")) << result.err;
  EXPECT_FALSE(holds(result.err, "stack of terminate()")) << result.err;
  EXPECT_FALSE(holds(result.err, "main at ")) << result.err;  // which only rethrew it
}

TEST(LastWords, ShowTheStackOfAnUnhandledPlainThrow) {
  const RunResult result = run({CRASHING, "throw-plain"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_TRUE(holds(result.err, "std::out_of_range: plain\n  thrown without a trace\n"))
      << result.err;
  EXPECT_TRUE(holds(result.err, "stack of terminate():\n")) << result.err;
  EXPECT_TRUE(holds(result.err, "main at ")) << result.err;
  EXPECT_FALSE(holds(result.err, "on_terminate")) << result.err;
}

TEST(LastWords, NameTheTypeOfOtherExceptions) {
  const RunResult result = run({CRASHING, "throw-int"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_TRUE(holds(result.err, "unhandled exception: int\n")) << result.err;
}

TEST(LastWords, ArePrintedWithoutAnException) {
  const RunResult result = run({CRASHING, "terminate"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_TRUE(holds(result.err, "terminate: called without an exception\n")) << result.err;
  EXPECT_TRUE(holds(result.err, "main at ")) << result.err;
}

TEST(LastWords, DoNotBlameAnExceptionThatIsBeingHandled) {
  for (const char* const program : {CRASHING, CRASHING_RELEASE, CRASHING_STRIPPED}) {
    const RunResult result = run({program, "handler"});
    EXPECT_EQ(result.status, 128 + SIGABRT);
    EXPECT_TRUE(
        result.err.starts_with("terminate: called while handling: "
                               "std::runtime_error: a test error\n"))
        << result.err;
    EXPECT_TRUE(holds(result.err, "stack of terminate():\n")) << result.err;
  }
  const RunResult result = run({CRASHING, "handler"});
  EXPECT_TRUE(holds(result.err, "std::thread::~thread()")) << result.err;
  EXPECT_TRUE(holds(result.err, "forget_a_thread_in_a_handler() at ")) << result.err;
}

TEST(LastWords, BlameAnUnhandledThrowOfAnyForm) {
  for (const char* const program : {CRASHING, CRASHING_RELEASE, CRASHING_STRIPPED}) {
    for (const char* const way :
         {"throw", "throw-noexcept", "throw-thread", "throw-plain", "rethrow"}) {
      const RunResult result = run({program, way});
      EXPECT_TRUE(holds(result.err, "terminate: unhandled exception: ")) << result.err;
    }
  }
}

TEST(LastWords, NameAnExceptionWithoutAMessage) {
  const RunResult result = run({CRASHING, "silent"});
  EXPECT_EQ(result.status, 128 + SIGABRT) << result.err;
  EXPECT_TRUE(holds(result.err, "unhandled exception: Silent\n  thrown without")) << result.err;
}

TEST(LastWords, ReportACrashWhileTheyArePrinted) {
  const RunResult result = run({CRASHING, "trap"});
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_TRUE(holds(result.err, "crash: SIGSEGV at 0x10")) << result.err;
}

TEST(LastWords, ArePrintedOnceIfPrintingThemTerminatesAgain) {
  const RunResult result = run({CRASHING, "fuse"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_LE(count(result.err, "terminate: "), 1) << result.err;
}

TEST(LastWords, MisleadNoTerminalIfThereIsNoMemoryToDescribeTheException) {
  const RunResult result = run({CRASHING, "greedy"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_EQ(result.err,
            "terminate: unhandled exception, and not enough memory to describe it\n"
            "  ????? na\xc3\xafve\n");
}

TEST(LastWords, ArePrintedByAChildThatWasForkedWhileTheyWerePrinted) {
  const RunResult result = run({CRASHING, "child"});
  EXPECT_EQ(result.status, SIGABRT);
  EXPECT_EQ(count(result.err, "terminate: called without an exception\n"), 1) << result.err;
}

// ---- The system's log, for which a socket of the test stands

TEST(LastWords, AreLoggedLineByLineAsTheyArePrinted) {
  const testing::TempTree folder;
  const LogSocket log(folder.path("log"));
  const RunResult result = run({CRASHING, "throw", "syslog", folder.path("log")});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  std::string logged;
  for (const std::string& line : log.received()) {
    const std::size_t head = line.find("]: ");
    ASSERT_NE(head, std::string::npos) << line;
    logged += line.substr(head + 3) + '\n';
  }
  EXPECT_EQ(logged, result.err);
}

TEST(LastWords, OfAPlainThrowAreLoggedWithTheStack) {
  const testing::TempTree folder;
  const LogSocket log(folder.path("log"));
  const RunResult result = run({CRASHING, "throw-plain", "syslog", folder.path("log")});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_EQ(log.received().size(), static_cast<std::size_t>(count(result.err, "\n")));
  EXPECT_EQ(std::ranges::count_if(log.received(),
                                  [](const std::string& line) { return holds(line, "main at "); }),
            1);
}

TEST(LastWords, AreLoggedAsCriticalWithProgramAndProcess) {
  const testing::TempTree folder;
  const LogSocket log(folder.path("log"));
  static_cast<void>(run({CRASHING, "throw", "syslog", folder.path("log")}));
  const std::regex head(R"(<10>crashing\[[1-9]\d*\]: )"
                        R"(terminate: unhandled exception: std::runtime_error: a test error)");
  ASSERT_FALSE(log.received().empty());
  EXPECT_TRUE(std::regex_match(log.received().front(), head)) << log.received().front();
}

TEST(LastWords, AreLoggedUnderTheGivenNameWhichCannotForgeTheRest) {
  const testing::TempTree folder;
  const LogSocket log(folder.path("log"));
  const std::string name = "my program[1]: all is well, it only has a long name";
  static_cast<void>(run({CRASHING, "terminate", "syslog", folder.path("log"), name}));
  ASSERT_FALSE(log.received().empty());
  EXPECT_TRUE(holds(log.received().front(), ">my_program_1___all_is_well,_it_o["))
      << log.received().front();
  EXPECT_TRUE(log.received().front().ends_with("]: terminate: called without an exception"));
}

TEST(LastWords, ArePrintedIfNobodyListensToTheLog) {
  testing::TempTree folder;
  folder.socket("dead");
  folder.file("file");
  for (const char* const path : {"missing", "dead", "file"}) {
    const RunResult result = run({CRASHING, "throw", "syslog", folder.path(path)});
    EXPECT_EQ(result.status, 128 + SIGABRT) << path;
    EXPECT_TRUE(holds(result.err, "std::runtime_error: a test error\n")) << result.err;
  }
}

// The program would never end if it waited: the log is read only afterwards.
TEST(LastWords, DoNotWaitForALogThatNobodyReads) {
  const testing::TempTree folder;
  const LogSocket log(folder.path("log"));
  log.fill();
  const RunResult result = run({CRASHING, "throw", "syslog", folder.path("log")});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_TRUE(holds(result.err, "std::runtime_error: a test error\n")) << result.err;
  for (const std::string& line : log.received()) EXPECT_EQ(line, "full");
}

TEST(LastWords, RefuseAPathThatNoSocketCanHave) {
  const std::string long_path(108, 'x');
  for (const char* const path : {"", long_path.c_str()}) {
    try {
      report_uncaught({.syslog = path});
      ADD_FAILURE() << "accepted '" << path << "'";
    } catch (const Error& error) {
      EXPECT_TRUE(holds(error.what(), "its path must have 1 to 107 bytes")) << error.what();
    }
  }
}

TEST(Backtrace, OfARelease_HasFunctionsAndAddresses) {
  const RunResult result = run({CRASHING_RELEASE, "caught"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(holds(result.out, "  thrown in throw_traced_error() at base/test/crash/crashing.cc:"))
      << result.out;
  EXPECT_TRUE(holds(result.out, "     0  throw_traced_error() in crashing_release+0x"))
      << result.out;
}

TEST(Backtrace, OfARelease_BeginsWhereItWasThrown) {
  const RunResult result = run({CRASHING_RELEASE, "chain"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(count(result.out, "     0  print_a_caught_chain() in "), 1) << result.out;
  EXPECT_FALSE(holds(result.out, "fathom::base::")) << result.out;
}

TEST(Backtrace, OfAStrippedProgram_HasAddresses) {
  const RunResult result = run({CRASHING_STRIPPED, "caught"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(holds(result.out, "std::runtime_error: a test error\n")) << result.out;
  EXPECT_TRUE(holds(result.out, "crashing_stripped+0x")) << result.out;
}

}  // namespace
}  // namespace fathom::base

// Tests of ScanProgressReporter, of progress requests, and of the low priority of a scan.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "run/interrupt.h"
#include "run/nice.h"
#include "run/scan_session.h"

namespace fathom::cli {
namespace {

TEST(ProgressRequest, IsTakenOnce) {
  ProgressRequest asked;
  EXPECT_FALSE(asked.take());
  ::raise(SIGUSR1);
  ::raise(SIGUSR1);
  EXPECT_TRUE(asked.take());
  EXPECT_FALSE(asked.take());
}

TEST(ProgressRequestDeathTest, DoesNotEndTheProgramWhenItIsLate) {
  const auto ask_late = [] {
    { const ProgressRequest asked; }
    ::raise(SIGUSR1);
    ::_exit(0);
  };
  EXPECT_EXIT(ask_late(), ::testing::ExitedWithCode(0), "");
}

TEST(ProgressRequestDeathTest, IsIgnoredIfItWasIgnoredAtTheStart) {
  const auto ask_in_vain = [] {
    ::signal(SIGUSR1, SIG_IGN);
    ProgressRequest asked;
    ::raise(SIGUSR1);
    ::_exit(asked.take() ? 1 : 0);
  };
  EXPECT_EXIT(ask_in_vain(), ::testing::ExitedWithCode(0), "");
}

// The standard error of a scan in which these directories hang, one list per report.
std::string reported(When progress, bool signalled,
                     const std::vector<std::vector<std::string>>& stuck) {
  ProgressRequest asked;
  ::testing::internal::CaptureStderr();
  {
    ScanProgressReporter reporter(progress, base::Units::iec, asked);
    fs::Progress known{
        .entries = 5, .disk_bytes = 1024, .seconds = 4, .directory = "/a", .stuck = {}};
    if (signalled) ::raise(SIGUSR1);
    for (const std::vector<std::string>& directories : stuck) {
      known.stuck = directories;
      reporter.report(known, std::chrono::seconds(3));
    }
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(ScanProgressReporter, NamesStuckDirectoriesOnceOnATerminal) {
  const std::vector<std::vector<std::string>> directories{{"/b", "/a\n"}, {"/b", "/a\n"}};
  const std::string stuck =
      "fathom: still reading /a\\n after 3 s\nfathom: still reading /b after 3 s\n";
  const std::string line = "5 entries  1.0 KiB  1/s  /a\n";
  EXPECT_EQ(reported(When::never, false, directories), "");
  EXPECT_EQ(reported(When::automatic, false, directories), "");
  EXPECT_EQ(reported(When::automatic, true, directories), line + stuck);
  EXPECT_EQ(reported(When::never, true, directories), line + stuck);
  EXPECT_EQ(reported(When::always, false, directories), "0 entries  0 B\n" + stuck + line);
}

TEST(ScanProgressReporter, NamesDirectoriesThatGetStuckLater) {
  EXPECT_EQ(reported(When::never, true, {{}, {"/b"}, {"/a", "/c", "/b"}, {"/a"}}),
            "5 entries  1.0 KiB  1/s  /a\n"
            "fathom: still reading /b after 3 s\n"
            "fathom: still reading /a after 3 s\n"
            "fathom: still reading /c after 3 s\n");
}

// In a separate process, because niceness cannot be lowered again.
[[noreturn]] void be_nice_and_exit() {
  const bool nice = be_nice();
  bool holds = ::getpriority(PRIO_PROCESS, 0) == 19;
#ifdef SYS_ioprio_get
  constexpr long kOfOneProcess = 1;
  constexpr long kIdle = 3;
  if (nice) holds = holds && ::syscall(SYS_ioprio_get, kOfOneProcess, 0) >> 13 == kIdle;
#endif
  ::_exit(holds ? 0 : 1);
}

TEST(NiceDeathTest, YieldsProcessorAndDiskToOtherPrograms) {
  EXPECT_EXIT(be_nice_and_exit(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fathom::cli

// What keeps a person, and the others on the machine, content while a scan runs.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "nice.h"
#include "progress_request.h"
#include "scan/liveness.h"
#include "scan/stuck.h"

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

TEST(ProgressRequestDeathTest, ThatComesTooLateDoesNotEndTheProgram) {
  const auto ask_late = [] {
    { const ProgressRequest asked; }
    ::raise(SIGUSR1);
    ::_exit(0);
  };
  EXPECT_EXIT(ask_late(), ::testing::ExitedWithCode(0), "");
}

TEST(ProgressRequestDeathTest, IsIgnoredWhereItWasFromTheStart) {
  const auto ask_in_vain = [] {
    ::signal(SIGUSR1, SIG_IGN);
    ProgressRequest asked;
    ::raise(SIGUSR1);
    ::_exit(asked.take() ? 1 : 0);
  };
  EXPECT_EXIT(ask_in_vain(), ::testing::ExitedWithCode(0), "");
}

TEST(StuckDirectories, AreNewsOnce) {
  StuckDirectories stuck;
  using Names = std::vector<std::string>;
  EXPECT_EQ(stuck.news({}), Names());
  EXPECT_EQ(stuck.news({"/b", "/a"}), (Names{"/a", "/b"}));
  EXPECT_EQ(stuck.news({"/a", "/c", "/b"}), Names{"/c"});
  EXPECT_EQ(stuck.news({"/a"}), Names());
}

// What a scan that hangs tells on standard error, which is no terminal here, with these signals.
std::string told(When progress, bool asked_for) {
  ProgressRequest asked;
  ::testing::internal::CaptureStderr();
  {
    Liveness liveness(progress, base::Units::iec, asked);
    fs::Progress known{
        .entries = 5, .disk_bytes = 1024, .seconds = 4, .directory = "/a", .stuck = {}};
    known.stuck = {"/b", "/a\n"};
    if (asked_for) ::raise(SIGUSR1);
    liveness.tell(known, std::chrono::seconds(3));
    liveness.tell(known, std::chrono::seconds(3));
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Liveness, NamesWhatHangsOnceToWhoLooks) {
  const std::string stuck =
      "fathom: still reading /a\\n after 3 s\nfathom: still reading /b after 3 s\n";
  const std::string line = "5 entries  1.0 KiB  1/s  /a\n";
  EXPECT_EQ(told(When::never, false), "");
  EXPECT_EQ(told(When::automatic, false), "");
  EXPECT_EQ(told(When::automatic, true), line + stuck);
  EXPECT_EQ(told(When::never, true), line + stuck);
  EXPECT_EQ(told(When::always, false), "0 entries  0 B\n" + stuck + line);
}

// In a process of its own: niceness cannot be taken back.
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

TEST(NiceDeathTest, LeavesProcessorAndDiskToOthers) {
  EXPECT_EXIT(be_nice_and_exit(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fathom::cli

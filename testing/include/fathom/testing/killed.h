// killed_before(): ends a process at any of its steps, to see what it leaves.
//
//   for (int step = 0; killed_at(step, [&](const BeforeStep& before) { work(before); }); ++step) {
//     expect_nothing_lost();
//   }

#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>

#include "fathom/base/error.h"

// Of AddressSanitizer: gives back the memory that was freed, of which it keeps 256 MiB.
extern "C" __attribute__((weak)) void __sanitizer_purge_allocator();

namespace fathom::testing {

// Called before each step.
using BeforeStep = std::function<void(std::string_view step)>;

// Calls work(before) in a child process, which kills itself right before the first step for which
// is_it(step) holds. Returns whether there was such a step. Throws base::SystemError if no process
// can be started. Expect a least number of steps: a loop without any ends at once.
inline bool killed_before(const std::function<bool(std::string_view step)>& is_it,
                          const std::function<void(const BeforeStep& before)>& work) {
  std::fflush(nullptr);
  // Most of the time of a fork goes into the tables of the pages.
  if (__sanitizer_purge_allocator != nullptr) __sanitizer_purge_allocator();
  const pid_t child = ::fork();
  if (child < 0) throw base::SystemError("cannot start a process to be killed", errno);
  if (child == 0) {
    try {
      work([&](std::string_view step) {
        if (is_it(step)) ::kill(::getpid(), SIGKILL);
      });
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child process: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  EXPECT_TRUE(killed || status == 0) << "the child process ended with status " << status;
  return killed;
}

// The same for a step by its number, which counts from 0.
inline bool killed_at(int at, const std::function<void(const BeforeStep& before)>& work) {
  int steps = 0;
  return killed_before([&](std::string_view) { return steps++ == at; }, work);
}

}  // namespace fathom::testing

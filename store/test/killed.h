// killed_at(): support for tests that end a process at any of its steps.

#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>

namespace fathom::store {

// Called before each step.
using BeforeStep = std::function<void(std::string_view step)>;

// Calls act(before) in a child process that kills itself right before its step number `at`, which
// counts from 0. Returns whether there was such a step.
inline bool killed_at(int at, const std::function<void(const BeforeStep& before)>& act) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    int steps = 0;
    try {
      act([&](std::string_view) {
        if (steps++ == at) ::kill(::getpid(), SIGKILL);
      });
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child process: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

}  // namespace fathom::store

// Questions: the cases of bench_diag.

#pragma once

#include <cstddef>
#include <string>

namespace fathom::bench {

// The depth of the stack between the measurement and the event: a shallow program, an ordinary one,
// and one deeper than the limit of frames.
inline constexpr int kDepths[] = {1, 20, 200};

// The minimum number of frames of a stack that was taken at this depth.
inline constexpr std::size_t calls_at(int depth, std::size_t most) {
  return static_cast<std::size_t>(depth) < most ? static_cast<std::size_t>(depth) : most;
}

// The cost of taking a stack. The function takes one and returns its number of frames.
void add_stack(const std::string& contender, std::size_t most, void (*count_calls)(void* count));

void add_stacks();
void add_throws();
void add_timeline();
void add_mutexes();
// Defined if Boost.Stacktrace is installed.
void add_boost_stacktrace();

}  // namespace fathom::bench

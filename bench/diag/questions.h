// Questions: what bench_diag asks.

#pragma once

#include <cstddef>
#include <string>

namespace fathom::bench {

// The calls between what is measured and where it happens: a shallow program, an ordinary one, and
// one deeper than what is kept.
inline constexpr int kDepths[] = {1, 20, 200};

// How many calls a stack must have at least that was taken at the depth.
inline constexpr std::size_t calls_at(int depth, std::size_t most) {
  return static_cast<std::size_t>(depth) < most ? static_cast<std::size_t>(depth) : most;
}

// The cost of taking a stack, by Fathom and by others. The function takes one and tells how many
// calls it has.
void add_stack(const std::string& contender, std::size_t most, void (*count_calls)(void* count));

void add_stacks();
void add_throws();
void add_timeline();
void add_mutexes();
// Where Boost.Stacktrace is installed.
void add_boost_stacktrace();

}  // namespace fathom::bench

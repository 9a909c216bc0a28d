// Dependents: the list of tasks that wait for a task, packed into one word: the generation of the
// task, and its first edge. The list of a finished task is closed, and that of a spawned task has
// never been open: nothing can be added.

#pragma once

#include <cstdint>

#include "index_stack.h"

namespace fathom::sched {

// In place of the first edge: the task has finished; or it was spawned and has not finished.
inline constexpr std::uint32_t kClosed = kNoIndex - 1;
inline constexpr std::uint32_t kSpawned = kNoIndex - 2;

// Whether this is the number of an edge, and not one of the above or the end of a list.
inline bool is_edge(std::uint32_t number) {
  return number < kSpawned;
}

inline std::uint64_t dependents_of(std::uint32_t generation, std::uint32_t first) {
  return std::uint64_t{generation} << 32 | first;
}

inline std::uint32_t generation_in(std::uint64_t dependents) {
  return static_cast<std::uint32_t>(dependents >> 32);
}

inline std::uint32_t first_in(std::uint64_t dependents) {
  return static_cast<std::uint32_t>(dependents);
}

}  // namespace fathom::sched

// TaskState: the concurrently changing state of a task, packed into one word, so that each change
// is one atomic step.
//
//   std::uint64_t seen = word.load(...);
//   TaskState state = state_of(seen);
//   state.phase = Phase::ready;
//   word.compare_exchange_weak(seen, word_of(state), ...);
//
// Each task that uses a place gets a new generation. Generation 0 is reserved for "no task".

#pragma once

#include <cstddef>
#include <cstdint>

namespace fathom::sched {

enum class Phase : std::uint8_t { free, created, ready, running, blocked };
inline constexpr std::size_t kPhases = 5;

struct TaskState {
  std::uint32_t generation = 0;
  Phase phase = Phase::free;
  bool run_again = false;     // made ready while running: runs again if it then returns blocked
  std::uint32_t pending = 0;  // dependencies that have not finished
};

inline constexpr std::uint32_t kPendingBits = 28;
inline constexpr std::uint32_t kMostPending = (1U << kPendingBits) - 1;

inline std::uint64_t word_of(const TaskState& state) {
  return std::uint64_t{state.generation} << 32 |
         std::uint64_t{static_cast<std::uint8_t>(state.phase)} << (kPendingBits + 1) |
         std::uint64_t{state.run_again} << kPendingBits | state.pending;
}

inline TaskState state_of(std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word);
  return {.generation = static_cast<std::uint32_t>(word >> 32),
          .phase = static_cast<Phase>(low >> (kPendingBits + 1)),
          .run_again = (low >> kPendingBits & 1) != 0,
          .pending = low & kMostPending};
}

// A test build narrows it, so that generations repeat.
#ifndef FATHOM_SCHED_GENERATION_BITS
#define FATHOM_SCHED_GENERATION_BITS 32
#endif
inline constexpr std::uint32_t kGenerations = 0xffffffffU >> (32 - FATHOM_SCHED_GENERATION_BITS);

inline std::uint32_t next_generation(std::uint32_t generation) {
  const std::uint32_t next = (generation + 1) & kGenerations;
  return next == 0 ? 1 : next;
}

}  // namespace fathom::sched

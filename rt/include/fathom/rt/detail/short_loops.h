// ShortLoops: whether the loops of one body take so little time that waking a thread for them costs
// more than it saves.
//
// Only experience can tell. A loop is expected to be short after kNeeded loops of the same body
// that were, if it has no more indices than one of them had. A loop that turns out to be longer
// takes all of that back: a body whose loops vary deceives at most one loop in kNeeded + 1. Acar,
// Aksenov, Charguéraud and Rainey decide by measured times, too ("Provably and practically
// efficient granularity control", PPoPP 2019).
//
//   static constinit ShortLoops history;      // of the body
//   if (history.expects(count)) ...           // do it on this thread, and watch the clock
//   history.note(count, time);                // what it took, or would take, on one thread
//
// Any thread may call any function. Two calls of note() at the same time may count as one.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"

namespace fathom::rt::detail {

class ShortLoops {
 public:
  // A loop that takes no longer is short: to wake a thread takes several times as long.
  static constexpr std::chrono::nanoseconds kShort{2000};
  // A loop of more indices is never short, and nobody need look at the clock.
  static constexpr std::size_t kMostIndices = 4096;
  static constexpr std::uint32_t kNeeded = 16;

  // Whether a loop of so many indices is probably short.
  bool expects(std::size_t count) const noexcept {
    const State state = state_of(word_.load(base::memory_order_relaxed));
    return state.seen == kNeeded && count <= state.indices;
  }

  // A loop of so many indices takes about so long on one thread.
  void note(std::size_t count, std::chrono::nanoseconds time) noexcept {
    const std::uint64_t word = word_.load(base::memory_order_relaxed);
    State state = state_of(word);
    const auto indices = static_cast<std::uint32_t>(std::min(count, kMostIndices));
    if (time <= kShort) {
      state.seen = std::min(state.seen + 1, kNeeded);
      state.indices = std::max(state.indices, indices);
    } else if (indices <= state.indices) {
      state = {};
    }
    // Usually nothing changes, and no other thread loses the cache line.
    if (word_of(state) != word) word_.store(word_of(state), base::memory_order_relaxed);
  }

 private:
  struct State {
    std::uint32_t seen = 0;     // short loops in a row, up to kNeeded
    std::uint32_t indices = 0;  // the most that one of them had
  };
  static State state_of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }
  static std::uint64_t word_of(const State& state) noexcept {
    return std::uint64_t{state.seen} << 32 | state.indices;
  }

  alignas(base::kCacheLine) base::atomic<std::uint64_t> word_{0};
};

}  // namespace fathom::rt::detail

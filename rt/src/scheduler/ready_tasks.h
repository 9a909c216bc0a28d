// ReadyTasks: the tasks of one channel that may run.
//
// Two stacks. What becomes ready goes onto one of them, what runs is taken from the other, and when
// that is empty the two change parts. So pushing and popping seldom meet, and nothing waits for
// ever: of two tasks either may come first, but one that is ready waits for no more than those that
// were ready already and those that become ready until the stacks change parts next. Within a
// stack the newest chain comes first, and a chain in its own order.
//
// Tasks never move from one stack to the other, so a look that finds both empty has missed nothing
// that was there all the time.

#pragma once

#include <cstdint>

#include "fathom/base/atomic.h"
#include "scheduler/index_stack.h"

namespace fathom::rt {

class ReadyTasks {
 public:
  // In memory of the caller's: the heads of both stacks, and what counts the changes of parts.
  struct Words {
    IndexStack::Head* heads[2];
    base::atomic<std::uint64_t>* turn;
  };

  ReadyTasks(const Words& words, IndexStack::Link* next, Contended contended) noexcept
      : words_(words), next_(next), contended_(contended) {}

  // Any thread.
  void push(std::uint32_t first, std::uint32_t last) noexcept {
    // A turn that has passed by now does no harm: it is only about which comes first.
    stack(words_.turn->load(base::memory_order_relaxed)).push(first, last);
  }

  // Any thread. Takes up to `most`, and calls take(i, task) as IndexStack does: how many.
  template <class Take>
  std::uint32_t pop(std::uint32_t most, const Take& take) noexcept {
    std::uint64_t turn = words_.turn->load(base::memory_order_relaxed);
    for (;;) {
      if (const std::uint32_t count = stack(turn + 1).pop(1, most, take)) return count;
      if (stack(turn).empty()) return 0;
      if (words_.turn->compare_exchange_strong(turn, turn + 1, base::memory_order_relaxed,
                                               base::memory_order_relaxed)) {
        ++turn;
      }
    }
  }

  [[nodiscard]] bool empty() const noexcept { return stack(0).empty() && stack(1).empty(); }

 private:
  [[nodiscard]] IndexStack stack(std::uint64_t turn) const noexcept {
    return {*words_.heads[turn & 1], next_, contended_};
  }

  const Words words_;
  IndexStack::Link* const next_;
  const Contended contended_;
};

}  // namespace fathom::rt

// ReadyTasks: the ready tasks of one channel.
//
// Two stacks: tasks that become ready are pushed to one, tasks to run are popped from the other,
// and when that is empty the two swap roles. So pushes and pops seldom contend, and no task
// starves: two tasks may run in either order, but a ready task waits only for those that were ready
// before it and those that become ready until the next swap. Within a stack the newest chain comes
// first; a chain keeps its own order.
//
// Tasks never move between the stacks, so a check that finds both empty has not missed a task that
// was there all the time.

#pragma once

#include <cstdint>

#include "fathom/base/atomic.h"
#include "scheduler/index_stack.h"

namespace fathom::rt {

class ReadyTasks {
 public:
  // In the caller's memory: the heads of both stacks, and the number of swaps.
  struct Words {
    IndexStack::Head* heads[2];
    base::atomic<std::uint64_t>* turn;
  };

  ReadyTasks(const Words& words, IndexStack::Link* next, Contended contended) noexcept
      : words_(words), next_(next), contended_(contended) {}

  // Any thread.
  void push(std::uint32_t first, std::uint32_t last) noexcept {
    // An outdated turn does no harm: it only affects the order.
    // [K7] seq_cst: pairs with the looks of ReadyChannels::forget().
    stack(words_.turn->load(base::memory_order_relaxed))
        .push(first, last, base::memory_order_seq_cst);
  }

  // Any thread. Takes up to `most` tasks and calls take(i, task) as IndexStack does; returns how
  // many.
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
  // For ReadyChannels::forget(). [K7] seq_cst: after the doubt.
  [[nodiscard]] bool empty_in_order() const noexcept {
    return stack(0).empty(base::memory_order_seq_cst) && stack(1).empty(base::memory_order_seq_cst);
  }

 private:
  [[nodiscard]] IndexStack stack(std::uint64_t turn) const noexcept {
    return {*words_.heads[turn & 1], next_, contended_};
  }

  const Words words_;
  IndexStack::Link* const next_;
  const Contended contended_;
};

}  // namespace fathom::rt

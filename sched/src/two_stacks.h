// TwoStacks: two stacks of indices that exchange roles, for the ready tasks of a channel and for
// the free places.
//
// Indices are pushed to one stack and popped from the other, and when that has too few, the two
// swap roles. So pushes and pops seldom contend, and no index stays at the bottom forever: two
// indices may be popped in either order, but each waits only for those that were pushed before it
// and those that are pushed until the next swap. Within a stack the newest chain comes first; a
// chain keeps its own order.
//
// Indices never move between the stacks, so a look that finds both empty has not missed one that
// was there all the time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "fathom/base/atomic.h"
#include "index_stack.h"

namespace fathom::sched {

// In the caller's memory, `stride` bytes apart: the heads of both stacks, and the number of swaps.
struct StackWords {
  using Word = base::atomic<std::uint64_t>;
  static constexpr unsigned kTurn = 2;
  static constexpr unsigned kCount = 3;

  [[nodiscard]] Word& at(std::uint64_t number) const noexcept {
    std::byte* const begin = reinterpret_cast<std::byte*>(first);
    return *std::launder(reinterpret_cast<Word*>(begin + number * stride));
  }

  // The words behind `number` groups of them.
  [[nodiscard]] StackWords group(unsigned number) const noexcept {
    return {&at(std::uint64_t{number} * kCount), stride};
  }

  Word* first;
  std::size_t stride = sizeof(Word);
};

// Linked indices; meaningful only if there are some.
struct Chain {
  std::uint32_t first = kNoIndex;
  std::uint32_t last = kNoIndex;
  std::uint32_t count = 0;
  std::uint32_t changes = 0;  // of their stack
};

class TwoStacks {
 public:
  TwoStacks(const StackWords& words, IndexStack::Link* next, Contended contended) noexcept
      : words_(words), next_(next), contended_(contended) {}

  // Any thread. With the order release or stronger.
  void push(std::uint32_t first, std::uint32_t last,
            base::memory_order order = base::memory_order_release) noexcept {  // [K1]
    // An outdated turn does no harm: it only affects the order.
    stack(words_.at(StackWords::kTurn).load(base::memory_order_relaxed)).push(first, last, order);
  }
  // The same, before ReadyChannels::note(). [K7] seq_cst: before the look at its channel's bit.
  void push_in_order(std::uint32_t first, std::uint32_t last) noexcept {
    push(first, last, base::memory_order_seq_cst);
  }

  // Any thread. Takes up to `most` and calls take(i, number) as IndexStack does; returns how many.
  template <class Take>
  [[gnu::always_inline]] std::uint32_t pop(std::uint32_t most, const Take& take) noexcept {
    std::uint64_t turn = words_.at(StackWords::kTurn).load(base::memory_order_relaxed);
    for (;;) {
      if (const std::uint32_t count = stack(turn + 1).pop(1, most, take)) return count;
      if (stack(turn).empty()) return 0;
      if (swap(turn)) ++turn;
    }
  }

  // Any thread. Takes `count` (1 or more) that are linked, if one stack has so many: the one from
  // which indices are popped; or either.
  [[gnu::always_inline]] Chain pop_chain(std::uint32_t count) noexcept {
    std::uint64_t turn = words_.at(StackWords::kTurn).load(base::memory_order_relaxed);
    const Chain chain = take(turn + 1, count, count);
    if (chain.count != 0 && chain.changes % kChangesPerTurn == 0) swap(turn);
    return chain;
  }
  Chain pop_chain_of_either(std::uint32_t count) noexcept {
    std::uint64_t turn = words_.at(StackWords::kTurn).load(base::memory_order_relaxed);
    const Chain chain = take(turn + 1, count, count);
    if (chain.count != 0) return chain;
    const Chain other = take(turn, count, count);
    if (other.count != 0) swap(turn);
    return other;
  }
  // From one stack, by its number.
  [[gnu::always_inline]] Chain take(std::uint64_t turn, std::uint32_t least,
                                    std::uint32_t most) noexcept {
    Chain chain;
    const auto note = [&chain](std::uint32_t i, std::uint32_t number) {
      if (i == 0) chain.first = number;
      chain.last = number;
    };
    chain.count = stack(turn).pop(least, most, note, chain.changes);
    return chain;
  }

  [[nodiscard]] bool empty() const noexcept { return stack(0).empty() && stack(1).empty(); }
  // For ReadyChannels::forget(). [K7] seq_cst: after the doubt.
  [[nodiscard]] bool empty_in_order() const noexcept {
    return stack(0).empty(base::memory_order_seq_cst) && stack(1).empty(base::memory_order_seq_cst);
  }

  [[nodiscard]] IndexStack stack(std::uint64_t turn) const noexcept {
    return {words_.at(turn & 1), next_, contended_};
  }

 private:
  // After so many changes of the stack from which chains are popped, the two swap roles although it
  // has more: the places that were used last are still in the caches. Not sooner: those that
  // another thread uses now are in its cache.
  static constexpr std::uint32_t kChangesPerTurn = 4096;

  // Changes `turn` if it was outdated.
  bool swap(std::uint64_t& turn) noexcept {
    return words_.at(StackWords::kTurn)
        .compare_exchange_strong(turn, turn + 1, base::memory_order_relaxed,
                                 base::memory_order_relaxed);
  }

  const StackWords words_;
  IndexStack::Link* const next_;
  const Contended contended_;
};

}  // namespace fathom::sched

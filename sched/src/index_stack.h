// IndexStack: a lock-free stack of indices into an array.
//
// Treiber's stack (IBM RJ 5118, 1986) with its head in one word: the top index, and a tag that each
// change increments, so that a head that has returned to an earlier index is not mistaken for the
// one that was read (the ABA problem). The links are in an array that several stacks share: an
// index is in one of them at a time.
//
// The tag has 32 bits and wraps: if a thread is suspended between its load of the head and its
// compare-and-swap while the others make an exact multiple of 2^32 changes and leave the same index
// on top, its call succeeds wrongly. At 10 million changes a second that is once in 430 seconds, at
// one moment that the thread would have to hit.
//
// A linked chain of indices is pushed with one compare-and-swap, and several are popped with one.
// Nothing fails spuriously: if pop() returns fewer than requested, there were no more at some
// moment of the call.
//
//   IndexStack stack(head, next, Contended::pause);
//   stack.push(first, last);                                   // next[] links first to last
//   stack.pop(1, 16, [&](std::uint32_t i, std::uint32_t number) { taken[i] = number; });

#pragma once

#include <cstdint>

#include "fathom/base/atomic.h"

namespace fathom::sched {

inline constexpr std::uint32_t kNoIndex = 0xffffffff;

// What a thread does after it has lost a compare-and-swap.
enum class Contended : std::uint8_t { pause, retry };

class IndexStack {
 public:
  using Head = base::atomic<std::uint64_t>;
  using Link = base::atomic<std::uint32_t>;
  static constexpr std::uint64_t kEmpty = kNoIndex;

  IndexStack(Head& head, Link* next, Contended contended) noexcept
      : head_(head), next_(next), contended_(contended) {}

  // With the order release or stronger.
  void push(std::uint32_t first, std::uint32_t last,
            base::memory_order order = base::memory_order_release) noexcept {  // [K1]
    std::uint64_t head = head_.load(base::memory_order_relaxed);
    for (;;) {
      next_[last].store(top_of(head), base::memory_order_relaxed);
      // [K1] release: pairs with the acquire in pop(), for the data of these indices. The indices
      // below were released by their own pushes, whose release sequences this one continues.
      if (head_.compare_exchange_weak(head, changed(head, first), order,
                                      base::memory_order_relaxed)) {
        return;
      }
      rest();
    }
  }

  // Takes as many as there are, up to `most`, if there are at least `least` (1 or more); returns
  // how many. Calls take(i, number) for the i-th; after a lost race it starts again from i = 0.
  // If it takes some, `changes` is how often the stack has been changed.
  template <class Take>
  [[gnu::always_inline]] std::uint32_t pop(std::uint32_t least, std::uint32_t most,
                                           const Take& take) noexcept {
    std::uint32_t changes = 0;
    return pop(least, most, take, changes);
  }
  template <class Take>
  [[gnu::always_inline]] std::uint32_t pop(std::uint32_t least, std::uint32_t most,
                                           const Take& take, std::uint32_t& changes) noexcept {
    std::uint64_t head = head_.load(base::memory_order_acquire);  // [K1]
    for (;;) {
      // Other threads may pop and push these indices meanwhile: the links then lead anywhere, but
      // always to valid indices, and the head has changed.
      std::uint32_t count = 0;
      std::uint32_t at = top_of(head);
      for (; count < most && at != kNoIndex; ++count) {
        take(count, at);
        at = next_[at].load(base::memory_order_relaxed);
      }
      if (count == 0) return 0;
      if (count < least) {
        // Was the head unchanged while the links were read? A plain load may return an old value.
        // [K6] acq_rel: pairs with itself and with pop(): a thread that changes the head after
        // this, and then a link, does so after the links were read.
        if (head_.compare_exchange_weak(head, head, base::memory_order_acq_rel,
                                        base::memory_order_acquire)) {  // [K6]
          return 0;
        }
      } else if (head_.compare_exchange_weak(head, changed(head, at),
                                             base::memory_order_acq_rel,  // [K1], [K8]
                                             base::memory_order_acquire)) {
        changes = static_cast<std::uint32_t>(head >> 32) + 1;
        return count;
      } else {
        rest();
      }
    }
  }

  // How many there are, if they are fewer than `most`; otherwise `most`. As long as the head is the
  // same, the stack contains the same.
  struct Look {
    std::uint64_t head = kEmpty;
    std::uint32_t count = 0;
  };
  [[nodiscard]] Look look(std::uint32_t most) const noexcept {
    // [K8] acquire: pairs with the release in pop(), by a thread that had pushed an index to
    // another stack before it took one from this.
    std::uint64_t head = head_.load(base::memory_order_acquire);
    for (;;) {
      Look look{.head = head};
      for (std::uint32_t at = top_of(head); look.count < most && at != kNoIndex; ++look.count) {
        at = next_[at].load(base::memory_order_relaxed);
      }
      // Was the head unchanged? As in pop(). [K6]
      if (look.count == 0 || look.count == most ||
          head_.compare_exchange_weak(head, head, base::memory_order_acq_rel,
                                      base::memory_order_acquire)) {  // [K6]
        return look;
      }
    }
  }
  [[nodiscard]] bool is_still(const Look& look) const noexcept {
    return head_.load(base::memory_order_relaxed) == look.head;
  }

  [[nodiscard]] bool empty(base::memory_order order = base::memory_order_relaxed) const noexcept {
    return top_of(head_.load(order)) == kNoIndex;
  }

  static std::uint32_t top_of(std::uint64_t head) noexcept {
    return static_cast<std::uint32_t>(head);
  }

 private:
  static std::uint64_t changed(std::uint64_t head, std::uint32_t top) noexcept {
    return ((head >> 32) + 1) << 32 | top;
  }

  void rest() const noexcept {
    if (contended_ == Contended::pause) base::cpu_relax();
  }

  Head& head_;
  Link* const next_;
  const Contended contended_;
};

}  // namespace fathom::sched

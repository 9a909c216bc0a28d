// WorkStealingDeque: its owner pushes and pops at the bottom, thieves steal at the top, lock-free.
//
// The owner takes the newest item first, thieves the oldest. Each pushed item is returned exactly
// once, by pop() or by one steal(). The owner is one thread at a time; passing ownership to another
// thread needs a happens-before edge. Any number of threads may steal. pop() is wait-free; so is
// push(), except when the deque grows. steal() fails only if another thread took an item. What
// happened before push() is visible to the thread that gets the item.
//
// The algorithm is Chase and Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), with the
// memory orders of Lê, Pop, Cohen and Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak
// Memory Models" (PPoPP 2013), with two differences. Instead of fences it uses orders on the
// operations themselves, which cost the same on x86 and less on ARM, and which ThreadSanitizer
// understands. And thieves load the buffer pointer with acquire, which the paper's C11 code omits.
//
//   WorkStealingDeque<Task*> deque;
//   deque.push(task);                           // the owner
//   if (auto next = deque.pop()) run(*next);    // the owner
//   if (auto [status, task] = deque.steal(); status == StealStatus::taken) run(task);  // a thief

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/error.h"

namespace fathom::rt {

// The result of an attempt to steal.
enum class StealStatus {
  taken,      // the caller owns the item
  empty,      // the deque was empty; the owner may push at any time
  lost_race,  // another thread took the item; a retry may succeed
};

template <class T>
struct Steal {
  StealStatus status = StealStatus::empty;
  T value{};  // meaningful only if taken
};

template <class T>
struct StealBatch {
  StealStatus status = StealStatus::empty;
  T value{};              // the oldest item, if taken
  std::size_t moved = 0;  // further items, moved to the thief's deque
};

template <class T>
class WorkStealingDeque {
  // A thief may read a slot while the owner writes it; it then discards the value.
  static_assert(std::is_trivially_copyable_v<T> && base::atomic<T>::is_always_lock_free,
                "items are copied as lock-free atomics: use pointers or indices");
  static_assert(std::is_nothrow_default_constructible_v<T>);

 public:
  static constexpr std::size_t kDefaultCapacity = 256;

  // The capacity is the number of items that fit before the first growth, and must be a power of
  // two; otherwise base::Error is thrown. Indices count from `start`, which only matters to tests
  // of wrap-around.
  explicit WorkStealingDeque(std::size_t capacity = kDefaultCapacity, std::uint64_t start = 0)
      : top_(start),
        bottom_(start),
        first_(checked(capacity)),
        owner_{.bottom = start, .top_seen = start, .buffer = &first_} {
    buffer_.store(&first_, base::memory_order_relaxed);
  }
  WorkStealingDeque(const WorkStealingDeque&) = delete;
  WorkStealingDeque& operator=(const WorkStealingDeque&) = delete;
  ~WorkStealingDeque() = default;  // no other thread may use it; remaining items are dropped

  // Owner. Adds an item at the bottom. Throws std::bad_alloc if the deque cannot grow, and then
  // changes nothing.
  void push(T item) {
    if (owner_.bottom - owner_.top_seen > owner_.buffer->mask) reserve(1);
    owner_.buffer->put(owner_.bottom, item);
    // [D1] release: pairs with the thief's load of bottom_. After it the thief may read the slot,
    // the buffer that contains it, and what the item points to.
    bottom_.store(++owner_.bottom, base::memory_order_release);
  }

  // Owner. Takes the newest item; nullopt if the deque is empty or a thief got the last item.
  std::optional<T> pop() noexcept {
    // [D3] seq_cst, like the thief's two loads: in their single total order, either the thief sees
    // that the item at bottom is claimed, or this thread sees that the thief has advanced to that
    // item. It also releases, like [D1]: a thief may learn of the items below from this store.
    //
    // Only the owner writes bottom_, so a store of its copy would be correct. But a load before the
    // locked instruction waits for that of the last pop: 50 % more time on an Intel Xeon.
    const std::uint64_t bottom = bottom_.fetch_sub(1, base::memory_order_seq_cst) - 1;  // [D3]
    owner_.bottom = bottom;
    std::uint64_t top = top_.load(base::memory_order_seq_cst);
    const std::int64_t below = distance(top, bottom);
    if (below > 0) return owner_.buffer->get(bottom);

    // The last item is contended: the thread that increments top_ gets it. Either way the deque
    // ends up empty.
    const T last = owner_.buffer->get(bottom);
    const bool won = below == 0 && raise_top(top);
    bottom_.store(++owner_.bottom, base::memory_order_release);  // [D1]
    // Two return statements instead of one optional that is filled on the way: GCC 12 would build
    // it in memory, and every caller would wait for that.
    if (!won) return std::nullopt;
    return last;
  }

  // Any thread, also the owner. Takes the oldest item.
  Steal<T> steal() noexcept {
    // [D3] in this order: see pop(). The load of bottom_ also acquires, for [D1].
    std::uint64_t top = top_.load(base::memory_order_seq_cst);
    const std::uint64_t bottom = bottom_.load(base::memory_order_seq_cst);
    if (distance(top, bottom) <= 0) return {StealStatus::empty, T{}};

    // [D4] acquire: pairs with the store in reserve(), so that the copied slots are visible. An
    // older buffer is equally good: its slots are unchanged, and it lives as long as the deque.
    const T item = buffer_.load(base::memory_order_acquire)->get(top);
    // The slot is read before it is claimed: after the claim the owner may overwrite it. If the
    // owner has overwritten it already, top_ has advanced and the claim fails.
    if (!raise_top(top)) return {StealStatus::lost_race, T{}};
    return {StealStatus::taken, item};
  }

  // The owner of `into`, on any deque other than `into`. Takes half of the items, rounded up, but
  // at most `max`: returns the oldest and moves the others to `into`. Takes fewer if it loses a
  // race or `into` cannot grow.
  //
  // Each item is claimed separately. Claiming several in one step would be wrong: an owner that
  // pops two or more items away from top_ claims nothing (crossbeam issue 72).
  StealBatch<T> steal_batch(WorkStealingDeque& into, std::size_t max) {
    const std::size_t half = (size_hint() + 1) / 2;
    const Steal<T> first = steal();
    StealBatch<T> batch{first.status, first.value, 0};
    if (first.status != StealStatus::taken) return batch;

    const std::size_t more = (half < max ? half : max);
    while (batch.moved + 1 < more) {
      if (!into.try_reserve(1)) break;  // before taking an item that would have nowhere to go
      const Steal<T> next = steal();
      if (next.status != StealStatus::taken) break;
      into.push(next.value);
      ++batch.moved;
    }
    return batch;
  }

  // Any thread. The number of items at some recent moment. Orders nothing by itself; after a
  // seq_cst fence it sees each push that precedes another thread's seq_cst fence.
  std::size_t size_hint() const noexcept {
    // Reads top_ first: bottom_ rarely decreases, so two loads at different times tend to count too
    // many rather than too few.
    const std::uint64_t top = top_.load(base::memory_order_relaxed);
    const std::int64_t size = distance(top, bottom_.load(base::memory_order_relaxed));
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }
  bool empty() const noexcept { return size_hint() == 0; }

  // Owner. The number of items that fit without growing.
  std::size_t capacity() const noexcept {
    return static_cast<std::size_t>(owner_.buffer->mask) + 1;
  }

 private:
  // A ring of slots. Index i is in slot i modulo the capacity.
  struct Buffer {
    explicit Buffer(std::size_t capacity)
        : mask(capacity - 1), slots(new base::atomic<T>[capacity]) {}

    // Relaxed: a slot is written before [D1] publishes it, and a stale read only happens if
    // raise_top() then fails.
    T get(std::uint64_t index) const noexcept {
      return slots[index & mask].load(base::memory_order_relaxed);
    }
    void put(std::uint64_t index, T item) noexcept {
      slots[index & mask].store(item, base::memory_order_relaxed);
    }

    std::uint64_t mask;
    std::unique_ptr<base::atomic<T>[]> slots;
    std::unique_ptr<Buffer> next;  // the buffer that replaced this one
  };

  static std::size_t checked(std::size_t capacity) {
    if (!std::has_single_bit(capacity)) {
      throw base::Error("the capacity of a deque must be a power of two, not " +
                        std::to_string(capacity));
    }
    return capacity;
  }

  // Signed, so that it is correct when indices wrap and when thieves overtake a pop().
  static std::int64_t distance(std::uint64_t from, std::uint64_t to) noexcept {
    return static_cast<std::int64_t>(to - from);
  }

  // Claims the item at top. A failed claim conveys nothing, so it needs no order.
  bool raise_top(std::uint64_t top) noexcept {
    // [D2] release: pairs with reserve()'s acquire. The thief has read the claimed slot before the
    // owner sees the new top_ and overwrites it.
    return top_.compare_exchange_strong(top, top + 1, base::memory_order_seq_cst,
                                        base::memory_order_relaxed);
  }

  // Owner. Ensures that the next `items` pushes need not grow the deque.
  void reserve(std::size_t items) {
    auto& [bottom, top_seen, buffer] = owner_;
    if (bottom - top_seen + items <= buffer->mask + 1) return;
    top_seen = top_.load(base::memory_order_acquire);  // [D2]
    const std::uint64_t needed = bottom - top_seen + items;
    if (needed <= buffer->mask + 1) return;

    // At least doubles, so that all buffers together hold less than twice the newest one.
    auto larger = std::make_unique<Buffer>(std::bit_ceil(static_cast<std::size_t>(needed)));
    for (std::uint64_t i = top_seen; i != bottom; ++i) larger->put(i, buffer->get(i));
    buffer->next = std::move(larger);
    buffer = buffer->next.get();
    // [D4] release: pairs with steal()'s acquire.
    buffer_.store(buffer, base::memory_order_release);
  }
  bool try_reserve(std::size_t items) noexcept {
    try {
      reserve(items);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  // The index of the oldest item. Incremented by the thread that takes it, never decremented.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> top_;

  // One past the index of the newest item. Only the owner writes it.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> bottom_;

  // The last buffer of the list that begins with first_. Only the owner writes it.
  alignas(base::kCacheLine) base::atomic<Buffer*> buffer_{nullptr};
  // The first buffer, which owns its successors: all live as long as the deque, because a thief may
  // be reading any of them.
  Buffer first_;

  // What the owner alone uses: loads from lines that it writes and thieves poll are slow.
  struct alignas(base::kCacheLine) Owner {
    std::uint64_t bottom;    // a copy of bottom_
    std::uint64_t top_seen;  // a lower bound of top_, from its last load
    Buffer* buffer;          // a copy of buffer_
  };
  Owner owner_;
};

}  // namespace fathom::rt

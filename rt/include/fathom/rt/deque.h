// WorkStealingDeque: one thread works at its bottom, any others take from its top, without locks.
//
// The owner pushes and pops at the bottom, the newest first; thieves steal at the top, the oldest
// first. Each item that is pushed is returned exactly once, by pop() or by one steal(). The owner
// is one thread at a time; handing the deque over to another needs a happens-before edge. Any
// number of threads may steal. pop() is wait-free, push() too but for growing, and steal() fails
// only because another thread got an item. What happened before push() is visible to whoever
// gets the item.
//
// The algorithm is Chase and Lev's, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), with the
// orders of Lê, Pop, Cohen and Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory
// Models" (PPoPP 2013), but for two things. Where they have fences this has orders on the
// operations themselves, which cost the same on x86, less on ARM, and which ThreadSanitizer
// understands. And thieves acquire the pointer to the buffer, which their C11 code forgot.
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

// What became of an attempt to steal.
enum class StealStatus {
  taken,      // the item is the caller's
  empty,      // there was nothing to take; the owner may add something at any time
  lost_race,  // another thread took the item; there may be more, so another attempt is worth it
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
  std::size_t moved = 0;  // how many more went to the thief's own deque
};

template <class T>
class WorkStealingDeque {
  // A thief reads a slot that the owner may be writing, and throws away what it read.
  static_assert(std::is_trivially_copyable_v<T> && base::atomic<T>::is_always_lock_free,
                "items are copied as lock-free atomics: use pointers or indices");
  static_assert(std::is_nothrow_default_constructible_v<T>);

 public:
  static constexpr std::size_t kDefaultCapacity = 256;

  // The capacity is what fits before the first growth, a power of two; otherwise throws
  // base::Error. Indices count from `start`, which matters only to tests of their wrapping.
  explicit WorkStealingDeque(std::size_t capacity = kDefaultCapacity, std::uint64_t start = 0)
      : top_(start), bottom_(start), top_seen_(start), first_(checked(capacity)) {
    buffer_.store(&first_, base::memory_order_relaxed);
  }
  WorkStealingDeque(const WorkStealingDeque&) = delete;
  WorkStealingDeque& operator=(const WorkStealingDeque&) = delete;
  ~WorkStealingDeque() = default;  // no thread may use it any more; items left are dropped

  // Owner. Adds an item at the bottom. Throws std::bad_alloc where the deque has to grow and
  // cannot; nothing has changed then.
  void push(T item) {
    const std::uint64_t bottom = bottom_.load(base::memory_order_relaxed);
    if (bottom - top_seen_ > buffer_.load(base::memory_order_relaxed)->mask) reserve(1);
    buffer_.load(base::memory_order_relaxed)->put(bottom, item);
    // [D1] release: pairs with the thief's load of bottom_, which may then read the slot, the
    // buffer that it is in, and what the item points to.
    bottom_.store(bottom + 1, base::memory_order_release);
  }

  // Owner. Takes the newest item; nothing when the deque is empty or a thief got the last one.
  std::optional<T> pop() noexcept {
    // [D3] seq_cst, as are the thief's two loads: in their one order either the thief sees that the
    // item at bottom is claimed, or this sees that the thief has come as far as that item. It also
    // releases, as [D1]: it may be this that shows a thief the items below.
    //
    // Only the owner writes bottom_, so a load and a store would do. On x86 they take half as long
    // again: the load has to wait for the last pop's fence, and the next fence for the load.
    const std::uint64_t bottom = bottom_.fetch_sub(1, base::memory_order_seq_cst) - 1;
    std::uint64_t top = top_.load(base::memory_order_seq_cst);
    const std::int64_t below = distance(top, bottom);
    if (below > 0) return buffer_.load(base::memory_order_relaxed)->get(bottom);

    // The last item is contended: whoever raises top_ has it. The deque ends up empty either way.
    const T last = buffer_.load(base::memory_order_relaxed)->get(bottom);
    const bool won = below == 0 && raise_top(top);
    bottom_.store(bottom + 1, base::memory_order_release);  // [D1]
    // Not an optional that is filled on the way: GCC 12 would put it together in memory, and let
    // every caller wait for that.
    if (!won) return std::nullopt;
    return last;
  }

  // Any thread. Takes the oldest item.
  Steal<T> steal() noexcept {
    // [D3] in this order: see pop(). The load of bottom_ also acquires, for [D1].
    std::uint64_t top = top_.load(base::memory_order_seq_cst);
    const std::uint64_t bottom = bottom_.load(base::memory_order_seq_cst);
    if (distance(top, bottom) <= 0) return {StealStatus::empty, T{}};

    // [D4] acquire: pairs with the store in reserve(), so that the copied slots are visible. An
    // older buffer will do as well: it holds what it held, and lives as long as the deque.
    const T item = buffer_.load(base::memory_order_acquire)->get(top);
    // The slot was read before it was claimed: from here on the owner may overwrite it. If it did
    // so already, then top_ has moved on, and the claim fails.
    if (!raise_top(top)) return {StealStatus::lost_race, T{}};
    return {StealStatus::taken, item};
  }

  // The owner of `into`, from any other deque than `into`. Takes half of what there is, rounded up,
  // but at most max items: the oldest is returned, the others go into `into`. Takes less where a
  // race is lost or `into` cannot grow.
  //
  // Each item is claimed by itself. Claiming several at once would be wrong: an owner that pops
  // claims nothing while it is two or more items away from top_ (crossbeam's issue 72).
  StealBatch<T> steal_batch(WorkStealingDeque& into, std::size_t max) {
    const std::size_t half = (size_hint() + 1) / 2;
    const Steal<T> first = steal();
    StealBatch<T> batch{first.status, first.value, 0};
    if (first.status != StealStatus::taken) return batch;

    const std::size_t more = (half < max ? half : max);
    while (batch.moved + 1 < more) {
      if (!into.try_reserve(1)) break;  // before there is an item in hand that has no place to go
      const Steal<T> next = steal();
      if (next.status != StealStatus::taken) break;
      into.push(next.value);
      ++batch.moved;
    }
    return batch;
  }

  // Any thread. How many items there were at some moment lately. Orders nothing by itself; after
  // a seq_cst fence it sees each push that came before another thread's seq_cst fence.
  std::size_t size_hint() const noexcept {
    // top_ first: as bottom_ hardly ever falls, the two read apart rather add up to too many.
    const std::uint64_t top = top_.load(base::memory_order_relaxed);
    const std::int64_t size = distance(top, bottom_.load(base::memory_order_relaxed));
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }
  bool empty() const noexcept { return size_hint() == 0; }

  // Owner. How many items fit without growing.
  std::size_t capacity() const noexcept {
    return static_cast<std::size_t>(buffer_.load(base::memory_order_relaxed)->mask) + 1;
  }

 private:
  // A ring of slots. Slot i is that of index i modulo the capacity.
  struct Buffer {
    explicit Buffer(std::size_t capacity)
        : mask(capacity - 1), slots(new base::atomic<T>[capacity]) {}

    // Relaxed: a slot is written before [D1] shows it, and read wrongly only where raise_top()
    // then fails.
    T get(std::uint64_t index) const noexcept {
      return slots[index & mask].load(base::memory_order_relaxed);
    }
    void put(std::uint64_t index, T item) noexcept {
      slots[index & mask].store(item, base::memory_order_relaxed);
    }

    std::uint64_t mask;
    std::unique_ptr<base::atomic<T>[]> slots;
    std::unique_ptr<Buffer> next;  // the one that replaced this one
  };

  static std::size_t checked(std::size_t capacity) {
    if (!std::has_single_bit(capacity)) {
      throw base::Error("the capacity of a deque must be a power of two, not " +
                        std::to_string(capacity));
    }
    return capacity;
  }

  // Signed, so that it stays right when the indices wrap and when thieves overtake a pop().
  static std::int64_t distance(std::uint64_t from, std::uint64_t to) noexcept {
    return static_cast<std::int64_t>(to - from);
  }

  // Claims the item at top. A failure tells nothing, so it needs no order.
  bool raise_top(std::uint64_t top) noexcept {
    // [D2] release: pairs with reserve()'s acquire. The claimed slot was read before the owner,
    // seeing the new top_, writes it again.
    return top_.compare_exchange_strong(top, top + 1, base::memory_order_seq_cst,
                                        base::memory_order_relaxed);
  }

  // Owner. Makes sure that so many pushes will not have to grow.
  void reserve(std::size_t items) {
    Buffer* const buffer = buffer_.load(base::memory_order_relaxed);
    const std::uint64_t bottom = bottom_.load(base::memory_order_relaxed);
    if (bottom - top_seen_ + items <= buffer->mask + 1) return;
    top_seen_ = top_.load(base::memory_order_acquire);  // [D2]
    const std::uint64_t needed = bottom - top_seen_ + items;
    if (needed <= buffer->mask + 1) return;

    // Doubled at least, so that all buffers together hold less than twice the newest.
    auto larger = std::make_unique<Buffer>(std::bit_ceil(static_cast<std::size_t>(needed)));
    for (std::uint64_t i = top_seen_; i != bottom; ++i) larger->put(i, buffer->get(i));
    buffer->next = std::move(larger);
    // [D4] release: pairs with steal()'s acquire.
    buffer_.store(buffer->next.get(), base::memory_order_release);
  }
  bool try_reserve(std::size_t items) noexcept {
    try {
      reserve(items);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  // The index of the oldest item. Raised by whoever takes it, never lowered.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> top_;

  // One past the index of the newest item. Written by the owner alone.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> bottom_;
  // The owner's alone: what it last knew of top_, which therefore is at least that. It spares
  // push() the line that thieves write.
  std::uint64_t top_seen_;
  // The last buffer of the chain that begins with first_. Written by the owner alone.
  base::atomic<Buffer*> buffer_{nullptr};
  // The first buffer, which owns its successors: all live as long as the deque, since a thief may
  // be reading any of them.
  Buffer first_;
};

}  // namespace fathom::rt

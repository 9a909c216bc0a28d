// SpscRing: a bounded lock-free FIFO queue from one producer thread to one consumer thread.
//
// Items come out in the order in which they went in, each exactly once. The producer is one thread
// at a time, and so is the consumer; passing either role to another thread needs a happens-before
// edge. What happened before a push is visible to the thread that pops the item. The try functions
// are wait-free, except for waking a sleeper, and exact: "full" means that the ring held capacity()
// items at some moment of the call, "empty" that it held none. The blocking functions sleep until
// they can proceed, the ring is closed, or a deadline has passed; every push wakes a sleeping
// consumer, every pop a sleeping producer.
//
// close() may be called by any thread. Afterwards pushes fail, and pops return the remaining items,
// then nothing. Items that the producer pushed before it closed the ring itself, or before it let
// another thread close it, are always popped first. A push that overlaps another thread's close()
// may still succeed, even after a pop() found the ring closed and empty: the next pop returns that
// item.
//
// The algorithm is Lamport's (1977), and each side keeps a copy of the other side's index, which it
// refreshes only when the ring looks full or empty (Lee, Bu and Chandranmenon's MCRingBuffer, 2010;
// Rigtorp's SPSCQueue). It has a copy of its own index beside it, because loads from a cache line
// that one side writes and the other polls are slow. Most calls therefore load no index from a line
// that the other side uses.
//
//   SpscRing<Job> ring(256);
//   ring.push(std::move(job));                        // the producer
//   ring.close();                                     // the producer, at its end
//   while (auto job = ring.pop()) run(*job);          // the consumer
//   auto job = ring.pop_until(base::monotonic_now() + 5ms);   // or with a deadline

#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/error.h"
#include "fathom/rt/light_event_count.h"

namespace fathom::rt {

template <class T>
class SpscRing {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "moving and destroying an item must not throw: the item would be lost");

 public:
  using Deadline = LightEventCount::Deadline;

  // Holds exactly `capacity` items; memory is allocated for the next power of two. Throws
  // base::Error for 0 and for more than max_capacity(), and std::bad_alloc if memory runs out.
  // The fence says what sleeping costs whom (light_event_count.h). Indices count from `start`,
  // which only matters to tests of wrap-around.
  SpscRing(std::size_t capacity, WaitFence fence) : SpscRing(capacity, 0, fence) {}
  explicit SpscRing(std::size_t capacity, std::uint64_t start = 0,
                    WaitFence fence = WaitFence::by_waiter)
      : capacity_(checked(capacity)),
        mask_(std::bit_ceil(capacity) - 1),
        slots_(new Slot[std::bit_ceil(capacity)]),
        tail_(start),
        producer_{.next = start, .seen = start},
        head_(start),
        consumer_{.next = start, .seen = start},
        items_(fence),
        room_(fence) {}
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;
  // No other thread may use the ring. Destroys the remaining items.
  ~SpscRing() {
    const std::uint64_t tail = tail_.load(base::memory_order_relaxed);
    for (std::uint64_t i = head_.load(base::memory_order_relaxed); i != tail; ++i) {
      std::destroy_at(std::addressof(slot(i)));
    }
  }

  static constexpr std::size_t max_capacity() noexcept {
    return std::bit_floor(static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) /
                          sizeof(Slot));
  }

  // ---- Producer.

  // False if the ring is full or closed; the item is then untouched.
  bool try_push(T&& item) noexcept { return emplace(std::move(item)); }
  // If the copy throws, nothing has changed.
  bool try_push(const T& item) requires std::copy_constructible<T> { return emplace(item); }

  // Moves as many items as fit, from the front; returns how many. They become visible together.
  std::size_t try_push_batch(std::span<T> items) noexcept {
    if (closed()) return 0;
    auto& [next, head_seen] = producer_;
    if (capacity_ - size(head_seen, next) < items.size()) {
      head_seen = head_.load(base::memory_order_acquire);  // [S2]
    }
    const std::size_t count = std::min(items.size(), capacity_ - size(head_seen, next));
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::construct_at(std::addressof(slot(next + i)), std::move(items[i]));
    }
    next += count;
    tail_.store(next, base::memory_order_release);  // [S1]
    items_.notify_one();
    return count;
  }

  // Waits while the ring is full. False if it is closed: the item is then lost.
  bool push(T item) noexcept {
    while (!try_push(std::move(item))) {  // NOLINT(bugprone-use-after-move): untouched if false
      if (closed()) return false;
      await_room();
    }
    return true;
  }

  // Waits at most until the limit. False if the ring is still full or is closed; the item is then
  // untouched.
  template <WaitLimit Limit>
  bool push_until(T&& item, const Limit& limit) noexcept {
    while (!try_push(std::move(item))) {
      if (closed() || !await_room(limit)) return false;
    }
    return true;
  }

  // Waits until all items are pushed or the ring is closed; returns how many were pushed.
  std::size_t push_batch(std::span<T> items) noexcept {
    std::size_t done = 0;
    while (done < items.size()) {
      const std::size_t count = try_push_batch(items.subspan(done));
      done += count;
      if (count > 0) continue;
      if (closed()) break;
      await_room();
    }
    return done;
  }

  // ---- Consumer.

  // The oldest item; nullopt if the ring is empty.
  std::optional<T> try_pop() noexcept {
    auto& [next, tail_seen] = consumer_;
    if (next == tail_seen) {
      // [S1] acquire: pairs with the release of the pushes, so that the items are visible.
      tail_seen = tail_.load(base::memory_order_acquire);
      if (next == tail_seen) return std::nullopt;
    }
    std::optional<T> item(std::move(slot(next)));
    std::destroy_at(std::addressof(slot(next)));
    // [S2] release: pairs with the acquire of the pushes, which may then overwrite the slot.
    head_.store(++next, base::memory_order_release);
    room_.notify_one();
    return item;
  }

  // Calls f(T&&) for up to `max` items, oldest first; returns how many. Their slots become free
  // together, at the end. If f throws, its item is lost and the later ones stay. f must not use the
  // ring.
  template <class F>
  std::size_t try_pop_batch(std::size_t max, F&& f) {
    auto& [next, tail_seen] = consumer_;
    if (size(next, tail_seen) < max) tail_seen = tail_.load(base::memory_order_acquire);  // [S1]
    const std::size_t count = std::min(max, size(next, tail_seen));
    if (count == 0) return 0;
    Taken taken{*this, next};
    for (std::size_t i = 0; i < count; ++i) {
      T& item = slot(taken.next++);
      const Destroyed destroyed{item};
      f(std::move(item));
    }
    return count;
  }

  // Waits while the ring is empty. nullopt if it is closed and empty.
  std::optional<T> pop() noexcept {
    for (;;) {
      const bool over = closed();  // read first: try_pop() then sees what was pushed before
      std::optional<T> item = try_pop();
      if (item || over) return item;
      await_item();
    }
  }

  // Waits at most until the limit. nullopt if the ring is still empty, or closed and empty.
  template <WaitLimit Limit>
  std::optional<T> pop_until(const Limit& limit) noexcept {
    for (;;) {
      const bool over = closed();
      std::optional<T> item = try_pop();
      if (item || over || !await_item(limit)) return item;
    }
  }

  // Waits until there is an item, then does what try_pop_batch() does. Returns 0 only if the ring
  // is closed and empty, or `max` is 0.
  template <class F>
  std::size_t pop_batch(std::size_t max, F&& f) {
    for (;;) {
      const bool over = closed();
      const std::size_t count = try_pop_batch(max, f);
      if (count > 0 || over || max == 0) return count;
      await_item();
    }
  }

  // ---- Any thread.

  // Makes pushes fail from now on and wakes waiting threads. Further calls have no effect.
  void close() noexcept {
    // [S3] release: pairs with the acquire in closed(): a thread that sees it sees what was pushed
    // before.
    closed_.store(true, base::memory_order_release);
    items_.notify_all();
    room_.notify_all();
  }
  bool closed() const noexcept { return closed_.load(base::memory_order_acquire); }  // [S3]

  std::size_t capacity() const noexcept { return capacity_; }

  // The number of items at about this time, from 0 to capacity(). Orders nothing.
  std::size_t size_hint() const noexcept {
    // head_ first: both only increase, so the difference cannot be negative.
    const std::uint64_t head = head_.load(base::memory_order_acquire);  // [S2]
    return std::min(size(head, tail_.load(base::memory_order_relaxed)), capacity_);
  }

 private:
  union Slot {
    Slot() noexcept {}  // NOLINT(modernize-use-equals-default): T may not be default constructible
    ~Slot() {}          // NOLINT(modernize-use-equals-default): the ring knows which slots are full
    T item;
  };

  // Publishes the progress of try_pop_batch() when it ends, by return or exception.
  struct Taken {
    SpscRing& ring;
    std::uint64_t next;
    ~Taken() {
      ring.consumer_.next = next;
      ring.head_.store(next, base::memory_order_release);  // [S2]
      ring.room_.notify_one();
    }
  };
  struct Destroyed {
    T& item;
    ~Destroyed() { std::destroy_at(std::addressof(item)); }
  };

  static std::size_t checked(std::size_t capacity) {
    if (capacity == 0 || capacity > max_capacity()) {
      throw base::Error("the capacity of a ring must be from 1 to " +
                        std::to_string(max_capacity()) + ", not " + std::to_string(capacity));
    }
    return capacity;
  }
  static std::size_t size(std::uint64_t head, std::uint64_t tail) noexcept {
    return static_cast<std::size_t>(tail - head);
  }
  T& slot(std::uint64_t index) noexcept { return slots_[index & mask_].item; }

  template <class U>
  bool emplace(U&& item) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    if (closed()) return false;
    auto& [next, head_seen] = producer_;
    if (size(head_seen, next) == capacity_) {
      // [S2] acquire: pairs with the release of the pops, after which the slots are free.
      head_seen = head_.load(base::memory_order_acquire);
      if (size(head_seen, next) == capacity_) return false;
    }
    std::construct_at(std::addressof(slot(next)), std::forward<U>(item));
    // [S1] release: pairs with the acquire of the pops.
    tail_.store(++next, base::memory_order_release);
    items_.notify_one();
    return true;
  }

  // Wait until there may be room, or an item, or the ring is closed; false at the limit.
  template <WaitLimit Limit = Deadline>
  bool await_room(const Limit& limit = LightEventCount::kNever) noexcept {
    return room_.wait_until(
        [&] {
          const std::uint64_t head = head_.load(base::memory_order_acquire);  // [S2]
          return size(head, producer_.next) != capacity_ || closed();
        },
        limit);
  }
  template <WaitLimit Limit = Deadline>
  bool await_item(const Limit& limit = LightEventCount::kNever) noexcept {
    return items_.wait_until(
        [&] {
          return tail_.load(base::memory_order_acquire) != consumer_.next || closed();  // [S1]
        },
        limit);
  }

  // Read by both threads, written only by close().
  alignas(base::kCacheLine) const std::size_t capacity_;
  const std::uint64_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  base::atomic<bool> closed_{false};

  // What one side alone uses.
  struct alignas(base::kCacheLine) Side {
    std::uint64_t next;  // a copy of its own index
    std::uint64_t seen;  // the last known value of the other side's
  };

  // The index of the next item to push, for the consumer.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> tail_;
  Side producer_;

  // The index of the next item to pop, for the producer.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> head_;
  Side consumer_;

  LightEventCount items_;  // the consumer waits here
  LightEventCount room_;   // the producer waits here
};

}  // namespace fathom::rt

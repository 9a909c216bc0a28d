// SpscRing: a bounded queue from one thread to one other, without locks.
//
// Items come out in the order in which they went in, each once. The producer is one thread at a
// time, and so is the consumer; handing either part over needs a happens-before edge. What happened
// before an item was pushed is visible to who pops it. The try forms are wait-free, but for waking
// a sleeper, and exact: "full" means that at some moment of the call the ring held capacity()
// items, "empty" that it held none. The other forms sleep until they can go on or the ring is
// closed, or a deadline has come; each form of push wakes a consumer that sleeps, each form of pop
// a producer.
//
// close() may be called by any thread. Afterwards pushes fail, and pops get what is left, then
// nothing. What the producer pushed before it closed the ring itself, or before it told whoever
// does, is always popped first. A push that overlaps another thread's close() may still succeed,
// even after a pop() found the ring closed and empty: the item is there for the next pop.
//
// The algorithm is Lamport's (1977) with, on either side, a copy of the other's index that is
// renewed only when the ring looks full or empty (Lee, Bu and Chandranmenon's MCRingBuffer, 2010;
// Rigtorp's SPSCQueue). So most calls touch no line that the other side writes but the items'.
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
                "moving and destroying an item must not throw: it would be lost halfway");

 public:
  using Deadline = LightEventCount::Deadline;

  // Holds exactly so many items; memory is for the next power of two. Throws base::Error for 0 and
  // for more than max_capacity(), std::bad_alloc where memory runs out. Indices count from `start`,
  // which matters only to tests of their wrapping.
  explicit SpscRing(std::size_t capacity, std::uint64_t start = 0)
      : capacity_(checked(capacity)),
        mask_(std::bit_ceil(capacity) - 1),
        slots_(new Slot[std::bit_ceil(capacity)]),
        tail_(start),
        head_seen_(start),
        head_(start),
        tail_seen_(start) {}
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;
  // No thread may use it any more. Items left are destroyed.
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

  // ---- The producer's.

  // False when full or closed; the item is untouched then.
  bool try_push(T&& item) noexcept { return emplace(std::move(item)); }
  // A copy that throws changes nothing.
  bool try_push(const T& item) requires std::copy_constructible<T> { return emplace(item); }

  // Moves as many as fit from the front; how many. All are shown to the consumer at once.
  std::size_t try_push_batch(std::span<T> items) noexcept {
    if (closed()) return 0;
    const std::uint64_t tail = tail_.load(base::memory_order_relaxed);
    if (capacity_ - (tail - head_seen_) < items.size()) {
      head_seen_ = head_.load(base::memory_order_acquire);  // [S2]
    }
    const std::size_t count = std::min(items.size(), capacity_ - size(head_seen_, tail));
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::construct_at(std::addressof(slot(tail + i)), std::move(items[i]));
    }
    tail_.store(tail + count, base::memory_order_release);  // [S1]
    items_.notify_one();
    return count;
  }

  // Waits while the ring is full. False when it is closed: the item is gone then.
  bool push(T item) noexcept {
    while (!try_push(std::move(item))) {  // NOLINT(bugprone-use-after-move): untouched if false
      if (closed()) return false;
      await_room();
    }
    return true;
  }

  // Waits until the deadline at most. False when the ring is full then, or closed: the item is
  // untouched then.
  bool push_until(T&& item, Deadline deadline) noexcept {
    while (!try_push(std::move(item))) {
      if (closed() || !await_room(deadline)) return false;
    }
    return true;
  }

  // Waits until all have been pushed or the ring is closed: how many were.
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

  // ---- The consumer's.

  // The oldest item; nothing when the ring is empty.
  std::optional<T> try_pop() noexcept {
    const std::uint64_t head = head_.load(base::memory_order_relaxed);
    if (head == tail_seen_) {
      // [S1] acquire: pairs with the release of the pushes, so that the items are visible.
      tail_seen_ = tail_.load(base::memory_order_acquire);
      if (head == tail_seen_) return std::nullopt;
    }
    std::optional<T> item(std::move(slot(head)));
    std::destroy_at(std::addressof(slot(head)));
    // [S2] release: pairs with the acquire of the pushes, which may then write the slot again.
    head_.store(head + 1, base::memory_order_release);
    room_.notify_one();
    return item;
  }

  // Calls f(T&&) for each of at most max items that are there, the oldest first; how many. Their
  // room is given back at once, at the end. Where f throws, the item that it was given is gone, and
  // those behind it stay. f must not use the ring.
  template <class F>
  std::size_t try_pop_batch(std::size_t max, F&& f) {
    const std::uint64_t head = head_.load(base::memory_order_relaxed);
    if (tail_seen_ - head < max) tail_seen_ = tail_.load(base::memory_order_acquire);  // [S1]
    const std::size_t count = std::min(max, size(head, tail_seen_));
    if (count == 0) return 0;
    Taken taken{*this, head};
    for (std::size_t i = 0; i < count; ++i) {
      T& item = slot(taken.next++);
      const Destroyed destroyed{item};
      f(std::move(item));
    }
    return count;
  }

  // Waits while the ring is empty. Nothing when it is closed and empty.
  std::optional<T> pop() noexcept {
    for (;;) {
      const bool over = closed();  // before the look, which then sees what was pushed before that
      std::optional<T> item = try_pop();
      if (item || over) return item;
      await_item();
    }
  }

  // Waits until the deadline at most. Nothing when the ring is empty then, or closed and empty.
  std::optional<T> pop_until(Deadline deadline) noexcept {
    for (;;) {
      const bool over = closed();
      std::optional<T> item = try_pop();
      if (item || over || !await_item(deadline)) return item;
    }
  }

  // Waits until there is an item, then as try_pop_batch(). 0 only when closed and empty, or asked
  // for none.
  template <class F>
  std::size_t pop_batch(std::size_t max, F&& f) {
    for (;;) {
      const bool over = closed();
      const std::size_t count = try_pop_batch(max, f);
      if (count > 0 || over || max == 0) return count;
      await_item();
    }
  }

  // ---- Any thread's.

  // Ends the pushing and wakes who waits. Once is enough; more do no harm.
  void close() noexcept {
    // [S3] release: pairs with the acquire in closed(): who sees it sees what was pushed before.
    closed_.store(true, base::memory_order_release);
    items_.notify_all();
    room_.notify_all();
  }
  bool closed() const noexcept { return closed_.load(base::memory_order_acquire); }  // [S3]

  std::size_t capacity() const noexcept { return capacity_; }

  // How many items there were at about this time, from 0 to capacity(). Orders nothing.
  std::size_t size_hint() const noexcept {
    // head_ first, as both only rise: the difference cannot be below 0.
    const std::uint64_t head = head_.load(base::memory_order_acquire);  // [S2]
    return std::min(size(head, tail_.load(base::memory_order_relaxed)), capacity_);
  }

 private:
  union Slot {
    Slot() noexcept {}  // NOLINT(modernize-use-equals-default): T may have no such constructor
    ~Slot() {}          // NOLINT(modernize-use-equals-default): the ring knows whether there is one
    T item;
  };

  // What try_pop_batch() has done when it ends, by whatever way.
  struct Taken {
    SpscRing& ring;
    std::uint64_t next;
    ~Taken() {
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
    const std::uint64_t tail = tail_.load(base::memory_order_relaxed);
    if (tail - head_seen_ == capacity_) {
      // [S2] acquire: pairs with the release of the pops, which have left the slots.
      head_seen_ = head_.load(base::memory_order_acquire);
      if (tail - head_seen_ == capacity_) return false;
    }
    std::construct_at(std::addressof(slot(tail)), std::forward<U>(item));
    // [S1] release: pairs with the acquire of the pops.
    tail_.store(tail + 1, base::memory_order_release);
    items_.notify_one();
    return true;
  }

  // Until there may be some, or the end; false at the deadline.
  bool await_room(Deadline deadline = LightEventCount::kNever) noexcept {
    const std::uint64_t tail = tail_.load(base::memory_order_relaxed);
    return room_.wait_until(
        [&] {
          return tail - head_.load(base::memory_order_acquire) != capacity_ || closed();  // [S2]
        },
        deadline);
  }
  bool await_item(Deadline deadline = LightEventCount::kNever) noexcept {
    const std::uint64_t head = head_.load(base::memory_order_relaxed);
    return items_.wait_until(
        [&] { return tail_.load(base::memory_order_acquire) != head || closed(); },  // [S1]
        deadline);
  }

  // Read by both, written by none but close().
  alignas(base::kCacheLine) const std::size_t capacity_;
  const std::uint64_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  base::atomic<bool> closed_{false};

  // The index of the next item to push. Written by the producer alone.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> tail_;
  // The producer's alone: what it last knew of head_.
  std::uint64_t head_seen_;

  // The index of the next item to pop. Written by the consumer alone.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> head_;
  // The consumer's alone: what it last knew of tail_.
  std::uint64_t tail_seen_;

  LightEventCount items_;  // the consumer waits here
  LightEventCount room_;   // the producer waits here
};

}  // namespace fathom::rt

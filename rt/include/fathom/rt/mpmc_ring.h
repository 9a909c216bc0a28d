// MpmcRing: a bounded FIFO queue for many producers and many consumers.
//
// A push takes a ticket from the tail, a pop takes one from the head; equal tickets meet in a slot,
// whose state says which of the two may use it. Items therefore come out in the order of the
// pushes' tickets, each exactly once, and the items of one thread keep their order. What happened
// before a push is visible to the thread that pops the item.
//
// The try functions never wait for another thread: one that loses a race backs off for about a
// microsecond and tries again, and some thread always makes progress. They take a ticket only for a
// slot that is ready for it, so they may fail spuriously, but only while another thread is in the
// middle of a call: "empty" while the push of the oldest item is unfinished, even if later ones are
// finished; "full" while the pop of the oldest item is unfinished, even if later ones are finished.
// They never miss an oldest item that is present. Without concurrent calls both results are exact.
//
// The blocking functions take tickets by fetch-add, which succeeds immediately however many threads
// compete, and then sleep until their slot is ready. They are served in the order of their tickets:
// items that are pushed while pops wait go to the pops in their order. A thread that dies in a call
// therefore stops the ring.
//
// The functions with a deadline are try functions that sleep until another try may succeed, because
// a ticket cannot be returned. They are not in line: they get what the blocking functions leave.
//
// close() may be called by any thread. Afterwards pushes fail, including those that still wait for
// room, and pops return the remaining items, then nothing. It is exact: an item whose push returned
// true is popped before any pop() that began after that push returned finds the ring closed and
// empty.
//
// The slot states are those of Vyukov's bounded MPMC queue (2010); the tickets by fetch-add are
// those of folly's and Rigtorp's MPMCQueue. States count by twos, so that a ring with one slot can
// distinguish "full" from "free for the next". No ticket is ever returned: between two threads that
// return theirs, a third could take a ticket after one that is never filled.
//
//   MpmcRing<Job> ring(256);
//   ring.push(std::move(job));                        // any thread
//   while (auto job = ring.pop()) run(*job);          // any thread, until ring.close()
//   auto job = ring.pop_until(base::monotonic_now() + 5ms);   // or with a deadline

#pragma once

#include <algorithm>
#include <array>
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
class MpmcRing {
  static_assert(
      std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
      "moving and destroying an item must not throw: otherwise its ticket is never served");

 public:
  using Deadline = LightEventCount::Deadline;

  // The capacity is rounded up to a power of two. Throws base::Error for 0 and for more than
  // max_capacity(), and std::bad_alloc if memory runs out. The fence says what sleeping costs whom
  // (light_event_count.h). Indices count from `start`, modulo 2^63, which only matters to tests of
  // wrap-around.
  MpmcRing(std::size_t capacity, WaitFence fence) : MpmcRing(capacity, 0, fence) {}
  explicit MpmcRing(std::size_t capacity, std::uint64_t start = 0,
                    WaitFence fence = WaitFence::by_waiter)
      : mask_(std::bit_ceil(checked(capacity)) - 1),
        slots_(new Slot[mask_ + 1]),
        abandoned_(new base::atomic<std::uint64_t>[mask_ + 1]),
        tail_(start * kTicket),
        head_(start * kTicket),
        waiters_{LightEventCount(fence), LightEventCount(fence), LightEventCount(fence),
                 LightEventCount(fence), LightEventCount(fence), LightEventCount(fence),
                 LightEventCount(fence), LightEventCount(fence)} {
    for (std::uint64_t i = 0; i <= mask_; ++i) {
      const std::uint64_t ticket = (start + i) * kTicket;
      slot(ticket).state.store(ticket, base::memory_order_relaxed);
      abandoned(ticket).store(kNone, base::memory_order_relaxed);
    }
  }
  MpmcRing(const MpmcRing&) = delete;
  MpmcRing& operator=(const MpmcRing&) = delete;
  // No other thread may use the ring. Destroys the remaining items.
  ~MpmcRing() {
    for (std::uint64_t i = 0; i <= mask_; ++i) {
      if (slots_[i].state.load(base::memory_order_relaxed) % kTicket == kFull) {
        std::destroy_at(std::addressof(slots_[i].item));
      }
    }
  }

  static constexpr std::size_t max_capacity() noexcept {
    return std::bit_floor(static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) /
                          sizeof(Slot));
  }

  // ---- Pushing.

  // False if the ring is full or closed, or spuriously as described above; the item is then
  // untouched.
  bool try_push(T&& item) noexcept {
    return try_push_batch(std::span<T>(std::addressof(item), 1)) == 1;
  }
  // The item is copied first: a copy that throws changes nothing.
  bool try_push(const T& item) requires std::copy_constructible<T> {
    T copy(item);
    return try_push(std::move(copy));
  }

  // Moves as many items as fit, from the front; returns how many. They are adjacent in the order.
  std::size_t try_push_batch(std::span<T> items) noexcept {
    for (;;) {
      std::uint64_t ticket = tail_.load(base::memory_order_relaxed);
      if (ticket % kTicket == kClosed) return 0;
      const std::size_t count = ready(ticket, ticket, items.size());
      if (count == 0) {
        if (items.empty() || turn(ticket) < 0) return 0;
        continue;  // another thread took the ticket
      }
      // Relaxed, like all tickets: the states of the slots order the accesses.
      if (tail_.compare_exchange_strong(ticket, ticket + count * kTicket,
                                        base::memory_order_relaxed, base::memory_order_relaxed)) {
        for (std::size_t i = 0; i < count; ++i) fill(ticket + i * kTicket, items[i]);
        return count;
      }
      step_back();
    }
  }

  // Waits while the ring is full. False if it is closed: the item is then lost.
  bool push(T item) noexcept { return push_batch(std::span<T>(std::addressof(item), 1)) == 1; }

  // Waits at most until the limit. False if try_push() fails then or the ring is closed; the item
  // is then untouched.
  template <WaitLimit Limit>
  bool push_until(T&& item, const Limit& limit) noexcept {
    while (!try_push(std::move(item))) {
      const std::uint64_t ticket = tail_.load(base::memory_order_relaxed);
      if (ticket % kTicket == kClosed) return false;
      const auto worth_a_try = [&] { return turn(ticket) >= 0 || closed(); };
      if (!waiters(ticket).wait_until(worth_a_try, limit)) return false;
    }
    return true;
  }

  // Takes tickets for all items in one step, so that they are adjacent in the order, and waits
  // until all are pushed or the ring is closed; returns how many were pushed, from the front.
  std::size_t push_batch(std::span<T> items) noexcept {
    if (items.empty()) return 0;
    const std::uint64_t first = tail_.fetch_add(items.size() * kTicket, base::memory_order_relaxed);
    if (first % kTicket == kClosed) return 0;
    std::size_t done = 0;
    while (done < items.size() && await_room(first + done * kTicket)) {
      fill(first + done * kTicket, items[done]);
      ++done;
    }
    for (std::size_t i = done; i < items.size(); ++i) abandon(first + i * kTicket);
    return done;
  }

  // ---- Popping.

  // The oldest item; nullopt if the ring is empty, or spuriously as described above.
  std::optional<T> try_pop() noexcept {
    std::optional<T> item;
    try_pop_batch(1, [&](T&& next) noexcept { item.emplace(std::move(next)); });
    return item;
  }

  // Calls f(T&&) for up to `max` items, oldest first; returns how many. They are adjacent in the
  // order. f must be noexcept, because items cannot be put back, and must not use the ring.
  template <class F>
  std::size_t try_pop_batch(std::size_t max, F&& f) noexcept {
    static_assert(std::is_nothrow_invocable_v<F&, T&&>, "f must be noexcept");
    for (;;) {
      std::uint64_t ticket = head_.load(base::memory_order_relaxed);
      std::size_t count = ready(ticket, ticket + kFull, max);
      if (count == 0) {
        if (max == 0) return 0;
        if (turn(ticket) > 0) continue;  // another thread took the ticket
        // In this order: a thread that sees the ticket abandoned also sees the end.
        if (!is_abandoned(ticket) || is_past_end(ticket)) return 0;
      }
      const bool skip = count == 0;  // this ticket has no item, but a later one may
      if (skip) count = 1;
      if (!head_.compare_exchange_strong(ticket, ticket + count * kTicket,
                                         base::memory_order_relaxed, base::memory_order_relaxed)) {
        step_back();
        continue;
      }
      if (skip) continue;
      for (std::size_t i = 0; i < count; ++i) drain(ticket + i * kTicket, f);
      return count;
    }
  }

  // Waits while the ring is empty. nullopt if it is closed and empty; what happened before close()
  // is then visible.
  std::optional<T> pop() noexcept {
    std::optional<T> item;
    const auto keep = [&](T&& next) noexcept { item.emplace(std::move(next)); };
    for (;;) {
      const std::uint64_t ticket = head_.fetch_add(kTicket, base::memory_order_relaxed);
      const Outcome outcome = await_item(ticket);
      if (outcome == Outcome::abandoned) continue;
      if (outcome == Outcome::item) drain(ticket, keep);
      return item;
    }
  }

  // Waits at most until the limit. nullopt if try_pop() finds no item then, or the ring is closed
  // and empty, as in pop().
  template <WaitLimit Limit>
  std::optional<T> pop_until(const Limit& limit) noexcept {
    for (;;) {
      std::optional<T> item = try_pop();
      if (item) return item;
      const std::uint64_t ticket = head_.load(base::memory_order_relaxed);
      if (is_past_end(ticket)) return item;
      // Other threads may take the ticket meanwhile, so any state except "waiting for the push" is
      // worth a try.
      const auto worth_a_try = [&] {
        return turn(ticket) > 0 || is_past_end(ticket) || is_abandoned(ticket);
      };
      if (!waiters(ticket).wait_until(worth_a_try, limit)) return item;
    }
  }

  // Waits until there is an item, then does what try_pop_batch() does, except that the first item
  // need not be adjacent to the others. Returns 0 only if the ring is closed and empty, or `max` is
  // 0.
  template <class F>
  std::size_t pop_batch(std::size_t max, F&& f) noexcept {
    if (max == 0) return 0;
    const std::size_t count = try_pop_batch(max, f);
    if (count > 0) return count;
    std::optional<T> item = pop();
    if (!item) return 0;
    f(std::move(*item));
    return 1 + try_pop_batch(max - 1, f);
  }

  // ---- Either.

  // Makes pushes fail from now on and wakes all waiting threads. Further calls have no effect, but
  // may return before the first call has finished.
  void close() noexcept {
    std::uint64_t tail = tail_.load(base::memory_order_relaxed);
    do {
      if (tail % kTicket == kClosed) return;
    } while (!tail_.compare_exchange_strong(tail, tail + kClosed, base::memory_order_relaxed,
                                            base::memory_order_relaxed));
    // [M3] release: pairs with the acquire loads of end_.
    end_.store(tail, base::memory_order_release);
    for (std::size_t i = 0; i < std::min(kWaiters, capacity()); ++i) waiters_[i].notify_all();
  }
  // If true, what happened before the first close() is visible.
  bool closed() const noexcept {
    return end_.load(base::memory_order_acquire) != kNone;  // [M3]
  }

  std::size_t capacity() const noexcept { return static_cast<std::size_t>(mask_) + 1; }

  // The number of items at about this time, from 0 to capacity(). Orders nothing. After close() it
  // may count slots that were never filled, until the next pop.
  std::size_t size_hint() const noexcept {
    const std::uint64_t end = end_.load(base::memory_order_relaxed);
    const std::uint64_t head = head_.load(base::memory_order_relaxed);
    const std::uint64_t tail = end != kNone ? end : tail_.load(base::memory_order_relaxed);
    // Tickets of waiting pops or pushes do not count.
    const std::int64_t size = distance(head, tail) / static_cast<std::int64_t>(kTicket);
    if (size <= 0) return 0;
    return std::min(static_cast<std::size_t>(size), capacity());
  }

 private:
  // Tickets are even numbers and wrap around. The state of a slot is a ticket if the push of that
  // ticket may fill it, and that ticket plus one if the pop of that ticket may drain it. The low
  // bit of the tail means that the ring is closed: tickets taken after that are void.
  static constexpr std::uint64_t kTicket = 2;
  static constexpr std::uint64_t kFull = 1;
  static constexpr std::uint64_t kClosed = 1;
  static constexpr std::uint64_t kNone = 1;  // no ticket
  // The number of event counts. Each serves the slots with the same remainder, so that a change of
  // a slot seldom wakes threads that wait for another.
  static constexpr std::size_t kWaiters = 8;
  static constexpr int kStepBack = 32;

  struct Slot {
    Slot() noexcept {}  // NOLINT(modernize-use-equals-default): T may not be default constructible
    ~Slot() {}          // NOLINT(modernize-use-equals-default): the state says whether there is one
    base::atomic<std::uint64_t> state{0};
    union {
      T item;
    };
  };

  enum class Outcome { item, abandoned, end };

  static std::size_t checked(std::size_t capacity) {
    if (capacity == 0 || capacity > max_capacity()) {
      throw base::Error("the capacity of a ring must be from 1 to " +
                        std::to_string(max_capacity()) + ", not " + std::to_string(capacity));
    }
    return capacity;
  }
  // Signed, so that it is correct when tickets wrap around.
  static std::int64_t distance(std::uint64_t from, std::uint64_t to) noexcept {
    return static_cast<std::int64_t>(to - from);
  }

  std::uint64_t place(std::uint64_t ticket) const noexcept { return ticket / kTicket & mask_; }
  Slot& slot(std::uint64_t ticket) noexcept { return slots_[place(ticket)]; }
  base::atomic<std::uint64_t>& abandoned(std::uint64_t ticket) noexcept {
    return abandoned_[place(ticket)];
  }
  LightEventCount& waiters(std::uint64_t ticket) noexcept {
    return waiters_[place(ticket) % kWaiters];
  }

  // [M1] acquire: pairs with the release in fill(), so that the item is visible.
  // [M2] acquire: pairs with the release in drain(), after which the slot is free.
  std::uint64_t state(std::uint64_t ticket) noexcept {
    return slot(ticket).state.load(base::memory_order_acquire);
  }
  // The progress of the ticket's slot: negative while the push has to wait for room, 0 when the
  // push may fill it, positive once it is filled.
  std::int64_t turn(std::uint64_t ticket) noexcept { return distance(ticket, state(ticket)); }
  // The number of consecutive slots, beginning with the ticket's, whose states count up from
  // `first`. Only the holders of the tickets can change these states.
  std::size_t ready(std::uint64_t ticket, std::uint64_t first, std::size_t max) noexcept {
    max = std::min(max, capacity());
    std::size_t count = 0;
    while (count < max && state(ticket + count * kTicket) == first + count * kTicket) ++count;
    return count;
  }

  // Backs off after losing a ticket to another thread. Two threads that retry at once cost each
  // other more than the retries themselves; meanwhile the winner takes many tickets while it owns
  // the cache lines.
  static void step_back() noexcept {
    for (int i = 0; i < kStepBack; ++i) base::cpu_relax();
  }

  // The two halves of a transfer, for the holder of a ticket whose slot is ready.
  void fill(std::uint64_t ticket, T& item) noexcept {
    std::construct_at(std::addressof(slot(ticket).item), std::move(item));
    slot(ticket).state.store(ticket + kFull, base::memory_order_release);  // [M1]
    waiters(ticket).notify_all();
  }
  template <class F>
  void drain(std::uint64_t ticket, F& f) noexcept {
    T& item = slot(ticket).item;
    f(std::move(item));
    std::destroy_at(std::addressof(item));
    slot(ticket).state.store(ticket + kTicket * (mask_ + 1), base::memory_order_release);  // [M2]
    waiters(ticket).notify_all();
  }

  // Waits until the push may fill its slot; false if the ring is closed before that.
  bool await_room(std::uint64_t ticket) noexcept {
    while (state(ticket) != ticket) {
      if (closed()) return false;
      waiters(ticket).wait([&] { return state(ticket) == ticket || closed(); });
    }
    return true;
  }

  // Waits until the pop may drain its slot, or it is certain that it never will.
  Outcome await_item(std::uint64_t ticket) noexcept {
    while (state(ticket) != ticket + kFull) {
      if (is_past_end(ticket)) return Outcome::end;
      if (is_abandoned(ticket)) return Outcome::abandoned;
      waiters(ticket).wait([&] {
        return state(ticket) == ticket + kFull || is_past_end(ticket) || is_abandoned(ticket);
      });
    }
    return Outcome::item;
  }

  bool is_past_end(std::uint64_t ticket) noexcept {
    const std::uint64_t end = end_.load(base::memory_order_acquire);  // [M3]
    return end != kNone && distance(end, ticket) >= 0;
  }

  // A push that was waiting for room when the ring was closed leaves its ticket unused, and marks
  // it for the pop of the same ticket. Later tickets of the same slot cannot be used either.
  void abandon(std::uint64_t ticket) noexcept {
    std::uint64_t first = abandoned(ticket).load(base::memory_order_relaxed);
    // [M4] release: pairs with the acquire in is_abandoned().
    while ((first == kNone || distance(ticket, first) > 0) &&
           !abandoned(ticket).compare_exchange_strong(first, ticket, base::memory_order_release,
                                                      base::memory_order_relaxed)) {
    }
    waiters(ticket).notify_all();
  }
  bool is_abandoned(std::uint64_t ticket) noexcept {
    const std::uint64_t first = abandoned(ticket).load(base::memory_order_acquire);  // [M4]
    return first != kNone && distance(first, ticket) >= 0;
  }

  // Read by all threads; abandoned_ and end_ are written only by close() and after it.
  alignas(base::kCacheLine) const std::uint64_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  // For each slot, the first abandoned ticket, or kNone.
  const std::unique_ptr<base::atomic<std::uint64_t>[]> abandoned_;
  // The first void ticket, or kNone while the ring is open.
  base::atomic<std::uint64_t> end_{kNone};

  // The ticket of the next push; odd once closed.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> tail_;
  // The ticket of the next pop.
  alignas(base::kCacheLine) base::atomic<std::uint64_t> head_;

  // Pushes and pops wait at the event count of their slot. It is rare that both do at once.
  std::array<LightEventCount, kWaiters> waiters_;
};

}  // namespace fathom::rt

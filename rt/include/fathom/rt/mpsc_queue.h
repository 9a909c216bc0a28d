// MpscQueue: an unbounded queue from many producers to one consumer that can be woken, such as a
// reactor.
//
// Items of one producer come out in the order in which it pushed them, each exactly once; all items
// together come out in the total order in which the pushes took effect. push() is lock-free, a pop
// is wait-free, and neither waits for another thread except within new and delete: a push that is
// suspended delays neither the consumer nor other pushes. Nothing fails spuriously: try_pop()
// returns nothing only if the queue was empty at some moment of the call. What happened before a
// push is visible to the thread that pops the item. The consumer is one thread at a time; passing
// its role to another thread needs a happens-before edge.
//
// The queue neither sleeps nor closes: the consumer sleeps by its own means, because it waits for
// other things too, and an item can mark the end.
//
// push() returns whether the consumer has to be woken: after a check that found the queue empty,
// the first push that has written its item returns true, and the others false until another check.
// So a consumer that checks until it finds nothing before it sleeps, and is woken for each true,
// misses nothing and is woken at most once per check.
//
// Items are in segments of about 2 KiB, each an array of slots. The queue keeps the newest segment
// and one spare, from the first push until its end, so it allocates nothing while the consumer
// keeps up, and once per segment otherwise.
//
// A push claims the next slot of the newest segment by a compare-exchange, writes the item, and
// says so in the slot. If the consumer comes to a claimed slot that is not written yet, it skips
// the slot, and the push, which finds that out when it has written it, takes its item back and
// claims another. This is the array of Ramalhete's FAAArrayQueue (2016), which is in turn based on
// Morrison and Afek's LCRQ (PPoPP 2013). The segments are a stack, Treiber's (IBM RJ 5118, 1986),
// whose links the consumer reverses: a push that is suspended after it has added a segment cannot
// hide those behind it, unlike in Vyukov's queue. The newest segment and the number of its claimed
// slots are one word, so a push never touches a segment that may have been freed.
//
//   MpscQueue<Job> queue;
//   if (queue.push(std::move(job))) reactor.wake();             // any thread
//   queue.drain([](Job&& job) { run(std::move(job)); });        // the reactor, when woken

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"

namespace fathom::rt {

// The number of slots of a segment. Items that are larger than 500 bytes are better boxed.
template <class T>
inline constexpr std::size_t kMpscSlots =
    std::clamp<std::size_t>(2000 / (sizeof(T) + sizeof(std::uint64_t)), 4, 127);

template <class T, std::size_t slots = kMpscSlots<T>>
class MpscQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "moving and destroying an item must not throw: the item would be lost");
  static_assert(slots > 0);

 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  // No other thread may use the queue. Destroys the remaining items.
  ~MpscQueue() {
    while (Slot* const slot = oldest()) leave(*slot);
    retire(front_);
    free(spare_.load(base::memory_order_relaxed));
  }

  // Any thread. Returns whether the consumer has to be woken. Throws std::bad_alloc if memory runs
  // out; the queue is then unchanged, and the item is lost. May move the item more than once.
  bool push(T item) {
    for (;;) {
      const Word claimed = claim();
      Slot& slot = segment_of(claimed)->slot[count_of(claimed)];
      std::construct_at(slot.item(), std::move(item));
      // [Q1] release: pairs with the acquires in written() and skip(): the item.
      if (slot.state.exchange(kWritten, base::memory_order_release) == kFree) {
        // The idle mark is relaxed: its order with claims is that of the changes of one word.
        return (claimed & kIdle) != 0 &&
               (tail_.fetch_and(~kIdle, base::memory_order_relaxed) & kIdle) != 0;
      }
      undo(item, claimed);
    }
  }

  // Consumer. The oldest item; nullopt if the queue is empty.
  std::optional<T> try_pop() noexcept {
    std::optional<T> item;
    if (Slot* const slot = oldest()) {
      item.emplace(std::move(*slot->item()));
      leave(*slot);
    }
    return item;
  }

  // Consumer. Calls f(T&&) for each item, oldest first, until the queue is empty; returns how many.
  // It does not end while others push faster than f works: after an item it waits for about half a
  // microsecond for another, because a consumer that checks after each item slows producers down.
  // If f throws, its item is lost and the later ones stay: no push reports them again. f may push.
  template <class F>
  std::size_t drain(F&& f) {
    std::size_t count = 0;
    while (Slot* const slot = oldest()) {
      T item(std::move(*slot->item()));
      leave(*slot);
      ++count;
      f(std::move(item));
      linger();
    }
    return count;
  }

  // Consumer. Whether the queue is empty. If so, this is a check in the sense of push().
  [[nodiscard]] bool empty() noexcept { return oldest() == nullptr; }

 private:
  enum State : std::uint32_t { kFree, kWritten, kSkipped };

  struct Slot {
    T* item() noexcept { return std::launder(reinterpret_cast<T*>(memory)); }
    base::atomic<std::uint32_t> state{kFree};
    alignas(T) std::byte memory[sizeof(T)];
  };

  // The address of a segment, the number of its claimed slots, and whether the consumer is idle: it
  // has found nothing, and no push has returned true since. The address leaves room for the rest.
  using Word = std::uintptr_t;
  static constexpr Word kIdle = 1;
  static constexpr Word kOne = 2;  // one claimed slot
  static constexpr Word kRoom = std::bit_ceil(kOne * (slots + 1));

  struct alignas(std::max<std::size_t>(kRoom, alignof(Slot))) Segment {
    Segment* older = nullptr;  // written before this one is published; the older one may be freed
    Segment* newer = nullptr;  // consumer only; may be null although there is one
    // The pushes whose slots were skipped and that have not left: below 0 until the consumer, when
    // it leaves, adds how many it has skipped.
    base::atomic<int> inside{0};
    Slot slot[slots];
  };

  static Word word(Segment* segment, std::size_t claimed) noexcept {
    return reinterpret_cast<Word>(segment) + claimed * kOne;
  }
  static Segment* segment_of(Word word) noexcept {
    return reinterpret_cast<Segment*>(word & ~(kRoom - 1));
  }
  static std::size_t count_of(Word word) noexcept { return (word & (kRoom - 1)) / kOne; }

  // Claims a slot, the first of a new segment if the newest one is full. Returns the word before
  // the claim, as if the new segment had been the newest one before.
  Word claim() {
    Segment* fresh = nullptr;
    Word tail = tail_.load(base::memory_order_relaxed);
    for (;;) {
      const bool full = count_of(tail) == slots;
      if (full) {
        if (fresh == nullptr) fresh = obtain();
        fresh->older = segment_of(tail);
      }
      const Word claimed = full ? word(fresh, 0) | (tail & kIdle) : tail;
      // [Q2] release: pairs with the acquires here and in oldest(): a new segment, and the links of
      // all below it, whose release sequences each change of this word continues.
      if (tail_.compare_exchange_strong(tail, claimed + kOne, base::memory_order_acq_rel,
                                        base::memory_order_relaxed)) {
        if (!full && fresh != nullptr) recycle(fresh);
        return claimed;
      }
    }
  }

  // The slot was skipped: moves the item back, and leaves the segment.
  [[gnu::noinline]] void undo(T& item, Word claimed) noexcept {
    Segment* const segment = segment_of(claimed);
    Slot& slot = segment->slot[count_of(claimed)];
    std::destroy_at(std::addressof(item));
    std::construct_at(std::addressof(item), std::move(*slot.item()));
    std::destroy_at(slot.item());
    // [Q4] acq_rel: pairs with itself, and with the one in retire(): all uses of the segment
    // precede its next one.
    if (segment->inside.fetch_sub(1, base::memory_order_acq_rel) == 1) recycle(segment);
  }

  // The slot of the oldest item, or nullptr; the consumer is then idle.
  Slot* oldest() noexcept {
    if (Slot* const slot = written()) return slot;
    const Word tail = tail_.load(base::memory_order_acquire);  // [Q2]
    if (Slot* const slot = oldest_before(tail)) return slot;
    if ((tail & kIdle) != 0) return nullptr;
    // Sets the mark, which only the consumer does. Only now do all later pushes see it, so the
    // slots that were claimed meanwhile must be checked.
    return oldest_before(tail_.fetch_add(kIdle, base::memory_order_acquire));  // [Q2]
  }

  // The same for the slots that were claimed when tail_ had this value. Each is looked at once, so
  // that this ends however fast others push.
  [[gnu::noinline]] Slot* oldest_before(Word end) noexcept {
    for (; front_ != segment_of(end) || next_ != count_of(end); ++next_) {
      if (next_ == slots) advance(segment_of(end));
      if (Slot* const slot = written()) return slot;
      if (!skip(front_->slot[next_])) return &front_->slot[next_];
    }
    return nullptr;
  }

  // The next slot if it contains an item.
  Slot* written() noexcept {
    if (next_ == slots) return nullptr;
    Slot& slot = front_->slot[next_];
    return slot.state.load(base::memory_order_acquire) == kWritten ? &slot : nullptr;  // [Q1]
  }

  // Gives a push some time to write the next slot. Looking at tail_ instead would take its cache
  // line from the producers, and so would looking at the slot all the time.
  void linger() noexcept {
    if (next_ == slots || written() != nullptr) return;
    for (int i = 0; i < 16; ++i) base::cpu_relax();
  }

  // False if the slot has been written meanwhile.
  bool skip(Slot& slot) noexcept {
    std::uint32_t state = kFree;
    const bool skipped = slot.state.compare_exchange_strong(
        state, kSkipped, base::memory_order_acquire, base::memory_order_acquire);  // [Q1]
    if (skipped) ++skipped_;
    return skipped;
  }

  // After the oldest item has been moved out.
  void leave(Slot& slot) noexcept {
    std::destroy_at(slot.item());
    ++next_;
  }

  // Goes to the next segment. `newest` is that one or a later one.
  void advance(Segment* newest) noexcept {
    Segment* next = front_ == nullptr ? nullptr : front_->newer;
    if (next == nullptr) {
      for (next = newest; next->older != front_; next = next->older) next->older->newer = next;
    }
    retire(std::exchange(front_, next));
    next_ = 0;
  }

  // The consumer leaves a segment.
  void retire(Segment* segment) noexcept {
    if (segment == nullptr) return;
    const int skipped = std::exchange(skipped_, 0);
    if (skipped == 0 ||
        segment->inside.fetch_add(skipped, base::memory_order_acq_rel) == -skipped) {  // [Q4]
      recycle(segment);
    }
  }

  [[gnu::noinline]] Segment* obtain() {
    // [Q3] acquire: pairs with the release in recycle(): the last uses of the segment.
    Segment* segment = spare_.load(base::memory_order_relaxed) == nullptr
                           ? nullptr
                           : spare_.exchange(nullptr, base::memory_order_acquire);
    if (segment == nullptr) segment = std::allocator<Segment>().allocate(1);
    return ::new (segment) Segment;
  }

  // Keeps the segment as the spare one, because it is still in the cache, and frees the other.
  [[gnu::noinline]] void recycle(Segment* segment) noexcept {
    free(spare_.exchange(segment, base::memory_order_acq_rel));  // [Q3]
  }

  static void free(Segment* segment) noexcept {
    if (segment != nullptr) std::allocator<Segment>().deallocate(segment, 1);
  }

  // The newest segment; at first none, which counts as full.
  alignas(base::kCacheLine) base::atomic<Word> tail_{word(nullptr, slots) | kIdle};
  base::atomic<Segment*> spare_{nullptr};  // a segment to be used again
  // Consumer only: the oldest segment, the number of its slots that have been popped or skipped,
  // and how many of them were skipped.
  alignas(base::kCacheLine) Segment* front_ = nullptr;
  std::size_t next_ = slots;
  int skipped_ = 0;
};

}  // namespace fathom::rt

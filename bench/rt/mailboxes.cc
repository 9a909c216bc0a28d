// From many threads to one: Fathom's queue and the naive ones. The peers are in separate files.

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/mpsc_queue.h"
#include "rt/handle.h"
#include "rt/mutex_queue.h"
#include "rt/suite.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

// rt::MpscQueue of numbers or handles. push() and try_push(), here and below, return whether the
// consumer must be woken.
template <class T>
class Fathom {
 public:
  explicit Fathom(std::size_t /*capacity*/) {}

  bool push(Item item) { return queue_.push(T(item)); }
  bool try_push(Item item) {
    push(item);
    return true;
  }
  template <class F>
  std::size_t try_drain(const F& f) {
    return queue_.drain([&](T&& item) { f(static_cast<Item>(item)); });
  }

 private:
  rt::MpscQueue<T> queue_;
};

// A vector under a lock, which the consumer swaps for an empty one: the mailbox of a good reactor.
class MutexSwap {
 public:
  explicit MutexSwap(std::size_t capacity) {
    pushed_.reserve(capacity);
    taken_.reserve(capacity);
  }

  bool push(Item item) {
    const std::lock_guard lock(mutex_);
    pushed_.push_back(item);
    return pushed_.size() == 1;
  }
  bool try_push(Item item) {
    push(item);
    return true;
  }
  template <class F>
  std::size_t try_drain(const F& f) {
    taken_.clear();
    {
      const std::lock_guard lock(mutex_);
      std::swap(pushed_, taken_);
    }
    for (const Item item : taken_) f(item);
    return taken_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<Item> pushed_;
  std::vector<Item> taken_;  // used by the consumer; keeps its capacity
};

// The same, but each item is allocated separately by the producer and freed by the consumer: the
// remaining cost of an unbounded queue that allocates item by item.
class MutexBoxed {
 public:
  explicit MutexBoxed(std::size_t /*capacity*/) {}

  bool try_push(Item item) {
    auto box = std::make_unique<Item>(item);
    const std::lock_guard lock(mutex_);
    pushed_.push_back(std::move(box));
    return true;
  }
  template <class F>
  std::size_t try_drain(const F& f) {
    taken_.clear();
    {
      const std::lock_guard lock(mutex_);
      std::swap(pushed_, taken_);
    }
    for (std::unique_ptr<Item>& box : taken_) {
      f(*box);
      box.reset();
    }
    return taken_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Item>> pushed_;
  std::vector<std::unique_ptr<Item>> taken_;
};

// One of the first two, with a consumer that sleeps and that a push wakes if necessary.
template <class Queue>
class Woken {
 public:
  explicit Woken(std::size_t capacity) : queue_(capacity) {}

  void push(Item item) {
    if (queue_.push(item)) wake_.notify_one();
  }
  template <class F>
  std::size_t drain(const F& f) {
    if (const std::size_t count = queue_.try_drain(f)) return count;
    for (;;) {
      const rt::EventCount::Key key = wake_.prepare_wait();
      if (const std::size_t count = queue_.try_drain(f)) {
        wake_.cancel_wait(key);
        return count;
      }
      wake_.commit_wait(key);
    }
  }

 private:
  Queue queue_;
  rt::EventCount wake_;
};

// What a queue cannot do without whose items have one order for all producers: each is claimed by
// one atomic operation on one word, written, and marked as written. There is room for all items,
// and nothing else.
class Claims {
 public:
  explicit Claims(std::size_t /*capacity*/) : slots_(kRoom) {}

  bool try_push(Item item) {
    Slot& slot = slots_[claimed_.fetch_add(1, base::memory_order_relaxed)];
    slot.item = item;
    // [B7] release: pairs with the acquire in try_drain(), for the item.
    slot.written.store(true, base::memory_order_release);
    return true;
  }
  template <class F>
  std::size_t try_drain(const F& f) {
    const std::size_t first = next_;
    while (slots_[next_].written.load(base::memory_order_acquire)) f(slots_[next_++].item);  // [B7]
    return next_ - first;
  }

 private:
  struct Slot {
    base::atomic<bool> written{false};
    Item item = 0;
  };
  static constexpr std::size_t kRoom = 400'001;  // the consumer looks behind the last one

  alignas(base::kCacheLine) base::atomic<std::size_t> claimed_{0};
  alignas(base::kCacheLine) std::size_t next_ = 0;  // the consumer's
  std::vector<Slot> slots_;
};

}  // namespace

void add_mailboxes() {
  add_mpsc<Polled<Fathom<Item>>>("fathom", 400'000);
  add_mpsc<Polled<Fathom<Handle>>>("fathom_handles", 400'000);
  add_mpsc<Blocking<Woken<Fathom<Item>>>>("fathom_woken", 400'000);
  add_mpsc<Polled<MutexSwap>>("mutex_swap", 400'000);
  add_mpsc<Blocking<Woken<MutexSwap>>>("mutex_swap_woken", 400'000);
  add_mpsc<Polled<MutexBoxed>>("boxed_floor", 400'000);
  add_mpsc<Polled<MutexQueue>>("mutex_queue", 400'000);
  add_mpsc<Polled<Claims>>("claim_floor", 400'000);
}

}  // namespace fathom::bench

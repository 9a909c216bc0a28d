// Sleepers: the sleeping workers of an executor, and the wake-ups that are under way.
//
// An idle worker sleeps outside any task and may run whatever there is. A helping worker sleeps
// within a task, which waits for others; it must not begin a task from outside. So the two kinds
// are woken apart: a wake-up for a task that a helper may not take would be lost on it.
//
// A worker is woken exactly once for each wake-up: the waking thread first leaves a message for it,
// then takes it out of its set, and then rings its bell. A thread that is suspended in between may
// keep that worker asleep, and nobody else. Only the thread whose message is there takes a worker
// out; if the worker has left the set by itself, that thread takes its message back, unless the
// worker has found it. The message is a mark, or for an idle worker a task that it runs before it
// searches. A worker has a place for messages of each kind, so that a late message for an idle
// worker is not found while it waits within a task.
//
// A mark counts each worker that searches for work, and each that was woken or started to do so.
// Threads that add work wake nobody while there are many marks. Therefore:
//
//  - A thread that adds work passes a seq_cst fence, and then either sees enough marks or looks for
//    a worker to wake.
//  - The owner of a mark drops it by end_search(), which is a seq_cst fence, and then checks all
//    queues if that returns true. A worker that goes to sleep checks them in sleep().
//
// Work is thus never forgotten: of the marks that a thread relied on, one is dropped later as the
// last of enough, or the worker finds the work itself. (Dekker's protocol: see MEMORY_ORDER.md.)
//
// All functions may be called from any thread, but sleep() only by the worker in question.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/observer.h"
#include "fathom/rt/task.h"

namespace fathom::rt::detail {

class Sleepers {
 public:
  using Deadline = base::MonotonicClock::time_point;
  enum class Kind : unsigned char { idle, helping };

  // What a worker was woken with; nothing if it woke by itself.
  struct Message {
    bool mark = false;     // it owns a mark
    Task* task = nullptr;  // it has to run this task
  };

  // Workers have the numbers below `workers`. With `enough` marks nobody else need be woken; at
  // least 2, so that a suspended thread that owns a mark stops nobody.
  Sleepers(unsigned workers, unsigned enough, const Observer* observer);

  // Whether there are so many marks that new work will be found. A hint after a fence, as above.
  bool enough_marks() const noexcept { return marks() >= enough_; }
  // The number of marks: of workers that search, or were woken to do so. A hint.
  unsigned marks() const noexcept { return marks_.load(base::memory_order_relaxed); }
  // Whether a worker of this kind sleeps, or is about to, and nobody is waking it. A hint after a
  // fence, as above.
  bool any(Kind kind) const noexcept;

  // Adds a mark. seq_cst, as all changes of the marks and the sets.
  void begin_search() noexcept { marks_.fetch_add(1, base::memory_order_seq_cst); }  // [X3]
  // Drops a mark. True: the caller must check all queues, and wake a worker if it finds something.
  [[nodiscard]] bool end_search() noexcept;

  // Wakes a worker of this kind, to which the caller's mark passes. False if none sleeps.
  bool wake(Kind kind) noexcept { return wake_with(kind, kMark); }
  // Wakes an idle worker, which runs this task first. False if none sleeps, or if another thread
  // may have relied on a message that was taken back: the caller must then add the task as work.
  bool hand_over(Task& task) noexcept {
    return wake_with(Kind::idle, reinterpret_cast<std::uintptr_t>(&task));
  }
  // Lets the sleeping workers of this kind check again whether they are ready.
  void ring(Kind kind) noexcept;
  // The same for one worker; does nothing if it is awake.
  void ring(unsigned worker) noexcept { beds_[worker].bell.notify_one(); }

  // Sleeps until ready() returns true, a wake-up, or the deadline, if there is one; calls ready()
  // after a seq_cst fence that comes after the registration. The worker must call take_message()
  // afterwards.
  template <class Ready>
  void sleep(unsigned worker, Kind kind, const Ready& ready, const Deadline* deadline = nullptr);
  [[nodiscard]] Message take_message(unsigned worker, Kind kind) noexcept;
  // Whether the worker has not taken its message for an idle worker yet. seq_cst. [X5]
  [[nodiscard]] bool has_message(unsigned worker) const noexcept {
    return beds_[worker].message(Kind::idle).load(base::memory_order_seq_cst) != kNone;
  }

 private:
  // Where a worker sleeps.
  using MessageWord = base::atomic<std::uintptr_t>;
  static constexpr std::uintptr_t kNone = 0;
  static constexpr std::uintptr_t kMark = 1;
  struct Bed {
    EventCount bell;
    // By kind: kNone, kMark or the address of a task. All changes are seq_cst. [X3]
    MessageWord messages[2]{};

    MessageWord& message(Kind kind) noexcept { return messages[static_cast<unsigned>(kind)]; }
  };

  // The sleeping workers of a kind, a bit each.
  using Word = base::atomic<std::uint64_t>;
  static constexpr unsigned kBits = 64;
  Word& word(Kind kind, unsigned worker) const noexcept {
    return words_[static_cast<unsigned>(kind) * size_ + worker / kBits];
  }
  static std::uint64_t bit(unsigned worker) noexcept {
    return std::uint64_t{1} << (worker % kBits);
  }
  bool contains(Kind kind, unsigned worker) const noexcept {
    return (word(kind, worker).load(base::memory_order_seq_cst) & bit(worker)) != 0;  // [X3]
  }
  bool wake_with(Kind kind, std::uintptr_t message) noexcept;
  enum class Waking : unsigned char { woken, busy, taken_back };
  Waking try_wake(unsigned worker, Kind kind, std::uintptr_t message) noexcept;
  bool commit(EventCount& bell, EventCount::Key key, const Deadline* deadline) const noexcept;

  const unsigned size_;  // words of a set
  const unsigned enough_;
  const Observer* const observer_;  // is told when a worker parks; null: none
  const std::unique_ptr<Bed[]> beds_;
  const std::unique_ptr<Word[]> words_;  // the idle set, then the helping set
  alignas(base::kCacheLine) base::atomic<unsigned> marks_{0};
};

template <class Ready>
void Sleepers::sleep(unsigned worker, Kind kind, const Ready& ready, const Deadline* deadline) {
  EventCount& bell = beds_[worker].bell;
  Word& here = word(kind, worker);
  here.fetch_or(bit(worker), base::memory_order_seq_cst);  // [X3]
  for (;;) {
    const EventCount::Key key = bell.prepare_wait();  // and a fence [X2]
    if (!contains(kind, worker) || ready()) {
      bell.cancel_wait(key);
      break;
    }
    if (!commit(bell, key, deadline)) break;
  }
  here.fetch_and(~bit(worker), base::memory_order_seq_cst);  // [X3]
}

}  // namespace fathom::rt::detail

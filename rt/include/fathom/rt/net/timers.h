// Timers: functions to call at given times of the monotonic clock.
//
// Guarantees: each timer is called once, never early, in the order of deadlines, and in the order
// of setting if deadlines are equal; or it is cancelled, and then never called. Setting and
// cancelling take O(log n) steps, some ten nanoseconds among thousands of timers. Changes of the
// wall clock have no effect.
//
// Belongs to one thread. It does not read a clock: the caller passes the time to run_due().
//
//   Timers timers;
//   Timers::Id late = timers.set(now + 5s, [&] { give_up(); });
//   timers.cancel(late);
//   timers.run_due(base::monotonic_now());
//
// A 4-ary heap in an array: it is flatter than a binary heap, and the children of a node are in one
// cache line (LaMarca and Ladner, ACM JEA 1, 1996).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/rt/detail/slots.h"
#include "fathom/rt/unique_function.h"

namespace fathom::rt {

class Timers {
 public:
  using Time = base::MonotonicClock::time_point;
  using Function = UniqueFunction<void()>;

  // Identifies a timer while it is set; afterwards, and when default constructed, it refers to
  // none.
  using Id = detail::SlotId<Timers>;

  Timers() = default;
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Throws std::bad_alloc, and then sets nothing.
  Id set(Time deadline, Function function);

  // Whether the timer was set and is now cancelled. False once its call has begun.
  bool cancel(Id timer) noexcept;

  // The earliest deadline; Time::max() if no timer is set.
  [[nodiscard]] Time next() const noexcept {
    return heap_.empty() ? Time::max() : heap_.front().deadline;
  }

  // Calls the timers that are due at `now` and were set before this call; returns how many. They
  // may set and cancel timers. If one throws, that timer is gone and the others stay set.
  std::size_t run_due(Time now);

  // Destroys all timers without calling them, including those that their destructors set.
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

 private:
  // Contains everything that the heap compares.
  struct Entry {
    Time deadline;
    std::uint64_t number;  // increases with each set()
    std::uint32_t slot;
    bool operator<(const Entry& other) const noexcept {
      return deadline != other.deadline ? deadline < other.deadline : number < other.number;
    }
  };
  struct Slot {
    Function function;
    std::uint32_t place = 0;  // in the heap
  };

  void place(std::size_t at, const Entry& entry) noexcept;
  void move_up(std::size_t at, const Entry& entry) noexcept;
  void move_down(std::size_t at, const Entry& entry) noexcept;
  Function take(std::uint32_t slot) noexcept;

  std::vector<Entry> heap_;
  detail::Slots<Slot, Id, std::vector> slots_;
  std::uint64_t next_number_ = 0;
  Time earliest_ = Time::min();  // during run_due(), its `now`, the lower bound of new deadlines
};

}  // namespace fathom::rt

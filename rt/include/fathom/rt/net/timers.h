// Timers: functions to be called at moments of the monotonic clock.
//
// Guarantees: each is called once, never early, the earlier deadline first, and in the order in
// which they were set where deadlines are equal; or it is cancelled, and then never called. Setting
// and cancelling one take steps in the logarithm of how many there are, some ten nanoseconds among
// thousands. What people do to the wall clock does not matter.
//
// Belongs to one thread. It reads no clock: whoever has the time at hand calls run_due().
//
//   Timers timers;
//   Timers::Id late = timers.set(now + 5s, [&] { give_up(); });
//   timers.cancel(late);
//   timers.run_due(base::monotonic_now());
//
// A heap in an array with four children to a node: it is flatter than a binary one, and the
// children stand in one line of the cache (LaMarca and Ladner, ACM JEA 1, 1996).

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fathom/base/clock.h"

namespace fathom::rt {

class Timers {
 public:
  using Time = base::MonotonicClock::time_point;
  using Function = std::function<void()>;

  // Names a timer for as long as it is set; it names none for ever after, or from the beginning.
  class Id {
   public:
    Id() = default;

   private:
    friend class Timers;
    Id(std::uint32_t slot, std::uint32_t generation) : slot_(slot), generation_(generation) {}
    std::uint32_t slot_ = 0;
    std::uint32_t generation_ = 0;  // never that of a timer
  };

  Timers() = default;
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Throws std::bad_alloc; nothing is set then.
  Id set(Time deadline, Function function);

  // Whether it was set and is not any more. False from its own call on.
  bool cancel(Id timer) noexcept;

  // The earliest deadline; Time::max() where nothing is set.
  [[nodiscard]] Time next() const noexcept {
    return heap_.empty() ? Time::max() : heap_.front().deadline;
  }

  // Calls those that are due at that moment and were set before the call; how many. They may set
  // and cancel timers. Where one throws, it is gone, and the others stay set.
  std::size_t run_due(Time now);

  // Destroys all without a call, those as well that their destructors set.
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

 private:
  // What the heap compares stands in it.
  struct Entry {
    Time deadline;
    std::uint64_t number;  // in the order of setting
    std::uint32_t slot;
    bool operator<(const Entry& other) const noexcept {
      return deadline != other.deadline ? deadline < other.deadline : number < other.number;
    }
  };
  struct Slot {
    Function function;
    std::uint32_t place = 0;  // in the heap; while it is free, the next free slot
    std::uint32_t generation = 1;
  };

  void place(std::size_t at, const Entry& entry) noexcept;
  void move_up(std::size_t at, const Entry& entry) noexcept;
  void move_down(std::size_t at, const Entry& entry) noexcept;
  Function take(std::uint32_t slot) noexcept;

  static constexpr std::uint32_t kNone = 0xffffffff;

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::uint32_t free_ = kNone;
  std::uint64_t next_number_ = 0;
  Time earliest_ = Time::min();  // while run_due() runs, its moment: what is set is not before that
};

}  // namespace fathom::rt

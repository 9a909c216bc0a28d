// Timers: a heap of four children per node.

#include "fathom/rt/net/timers.h"

#include <algorithm>
#include <utility>

namespace fathom::rt {

namespace {

constexpr std::size_t kChildren = 4;

}  // namespace

Timers::Id Timers::set(Time deadline, Function function) {
  const Entry entry{std::max(deadline, earliest_), next_number_, slots_.prepare()};
  heap_.push_back(entry);
  ++next_number_;
  slots_[entry.slot].function = std::move(function);
  move_up(heap_.size() - 1, entry);
  return slots_.take();
}

bool Timers::cancel(Id timer) noexcept {
  if (slots_.find(timer) == nullptr) return false;
  take(timer.slot_);
  return true;
}

std::size_t Timers::run_due(Time now) {
  // A timer that is set during the calls sorts after all due timers, whatever its deadline.
  class Moment {
   public:
    Moment(Time& earliest, Time at) noexcept : earliest_(earliest) { earliest_ = at; }
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;
    ~Moment() { earliest_ = Time::min(); }

   private:
    Time& earliest_;
  };
  const Moment moment(earliest_, now);
  const std::uint64_t end = next_number_;
  std::size_t count = 0;
  while (!heap_.empty() && heap_.front().deadline <= now && heap_.front().number < end) {
    Function function = take(heap_.front().slot);
    ++count;
    function();
  }
  return count;
}

void Timers::clear() noexcept {
  while (!heap_.empty()) take(heap_.front().slot);
}

// Removes the timer from the heap and the slots.
Timers::Function Timers::take(std::uint32_t number) noexcept {
  Slot& slot = slots_[number];
  const std::size_t at = slot.place;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (at < heap_.size()) {
    if (at > 0 && last < heap_[(at - 1) / kChildren]) {
      move_up(at, last);
    } else {
      move_down(at, last);
    }
  }
  slots_.end(number);
  slots_.release(number);
  return std::exchange(slot.function, nullptr);
}

void Timers::place(std::size_t at, const Entry& entry) noexcept {
  heap_[at] = entry;
  slots_[entry.slot].place = static_cast<std::uint32_t>(at);
}

void Timers::move_up(std::size_t at, const Entry& entry) noexcept {
  while (at > 0) {
    const std::size_t parent = (at - 1) / kChildren;
    if (!(entry < heap_[parent])) break;
    place(at, heap_[parent]);
    at = parent;
  }
  place(at, entry);
}

void Timers::move_down(std::size_t at, const Entry& entry) noexcept {
  for (;;) {
    const std::size_t first = at * kChildren + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kChildren, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child] < heap_[least]) least = child;
    }
    if (!(heap_[least] < entry)) break;
    place(at, heap_[least]);
    at = least;
  }
  place(at, entry);
}

}  // namespace fathom::rt

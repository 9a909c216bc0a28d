// Observer: is notified of what threads do, for a profiler or a timeline.
//
// An Executor notifies the observer of its Options of what its workers do; other code may report
// phases and counters to it. Without an observer that costs a branch on a member that is in the
// cache anyway.
//
// Each call is made immediately, by the thread that it is about: it must be quick, must not wait,
// and must not use the executor. Calls come from many threads at the same time. The observer must
// outlive everything that it observes.
//
// A call that begins something returns a Moment, which is passed to the call that ends it, so an
// observer need not keep a stack even when a waiting task runs other tasks. On each thread, the
// calls are nested: what begins last ends first.
//
//   struct Counting : rt::Observer {
//     void stolen(unsigned, std::size_t tasks) const noexcept override { count(tasks); }
//   };
//   Counting counting;
//   rt::Executor executor({.observer = &counting});

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fathom::rt {

class Observer {
 public:
  // A value that the observer chooses, usually a time.
  using Moment = std::uint64_t;

  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // The first and the last call of a worker's thread.
  virtual void thread_starts(std::string_view /*name*/, unsigned /*worker*/) const noexcept {}
  virtual void thread_ends() const noexcept {}

  // A worker runs a task, or a thread that waits for a group one of its tasks. If the task waits,
  // others may begin before it ends.
  virtual Moment task_begins() const noexcept { return 0; }
  virtual void task_ends(Moment /*began*/) const noexcept {}

  // A worker has taken `tasks` tasks from the deque of `victim`.
  virtual void stolen(unsigned /*victim*/, std::size_t /*tasks*/) const noexcept {}

  // A worker sleeps because it found no work. Its wake-up does not imply that there is work.
  virtual Moment park_begins() const noexcept { return 0; }
  virtual void park_ends(Moment /*began*/) const noexcept {}

  // This thread has woken a worker because there is work.
  virtual void wakes() const noexcept {}

  // This thread, which is not a worker, has submitted a task.
  virtual void submitted() const noexcept {}

  // A phase of the thread's work. The name must stay valid until the program ends.
  virtual Moment phase_begins(const char* /*name*/) const noexcept { return 0; }
  virtual void phase_ends(const char* /*name*/, Moment /*began*/) const noexcept {}

  // The new value of a counter. The name must stay valid until the program ends.
  virtual void counts(const char* /*name*/, std::uint64_t /*value*/) const noexcept {}
};

// A phase that lasts as long as the object; does nothing without an observer.
class ObservedPhase {
 public:
  ObservedPhase(const Observer* observer, const char* name) noexcept
      : observer_(observer),
        name_(name),
        began_(observer == nullptr ? 0 : observer->phase_begins(name)) {}
  ~ObservedPhase() {
    if (observer_ != nullptr) observer_->phase_ends(name_, began_);
  }
  ObservedPhase(const ObservedPhase&) = delete;
  ObservedPhase& operator=(const ObservedPhase&) = delete;

 private:
  const Observer* const observer_;
  const char* const name_;
  const Observer::Moment began_;
};

}  // namespace fathom::rt

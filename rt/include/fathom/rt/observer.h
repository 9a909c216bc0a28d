// Observer: looks on while threads work, for a profiler or a timeline.
//
// An Executor tells the observer of its Options what its workers do, and whoever else has one may
// tell it of phases and figures. Without an observer that costs a branch on a member that is in the
// cache anyway.
//
// Each call is made by the thread that it is about, at once, while that thread could do something
// else: it must be quick, must not wait, and must not use the executor. Calls come from many
// threads at a time. The observer outlives all whom it observes.
//
// What begins gives a Moment, which its end is told: so an observer need not remember what is under
// way, however deep tasks are nested in tasks that wait. On each thread, what begins last ends
// first.
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
  // What the observer makes of it: mostly a time.
  using Moment = std::uint64_t;

  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // A worker's thread: its first call, and its last one.
  virtual void thread_starts(std::string_view /*name*/, unsigned /*worker*/) const noexcept {}
  virtual void thread_ends() const noexcept {}

  // A worker runs a task. It may begin others before it ends, if it waits for them.
  virtual Moment task_begins() const noexcept { return 0; }
  virtual void task_ends(Moment /*began*/) const noexcept {}

  // A worker has taken so many tasks from another one's deque.
  virtual void stolen(unsigned /*victim*/, std::size_t /*tasks*/) const noexcept {}

  // A worker has nothing to do, and sleeps. That it ends does not say that there is something.
  virtual Moment park_begins() const noexcept { return 0; }
  virtual void park_ends(Moment /*began*/) const noexcept {}

  // This thread has woken a worker, for there is something to do.
  virtual void wakes() const noexcept {}

  // This thread, which is no worker, has submitted a task.
  virtual void submitted() const noexcept {}

  // A phase of what the thread does. The name stays as it is for as long as the program runs.
  virtual Moment phase_begins(const char* /*name*/) const noexcept { return 0; }
  virtual void phase_ends(const char* /*name*/, Moment /*began*/) const noexcept {}

  // A figure that is so much from now on. The name as above.
  virtual void counts(const char* /*name*/, std::uint64_t /*value*/) const noexcept {}
};

// A phase that lasts as long as the object; none without an observer.
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

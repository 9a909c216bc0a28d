// Team: threads that run one function each, until all have returned.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "fathom/base/mutex.h"

namespace fathom::fs {

// Runs a work item as a task that the observer, if any, is notified of.
void run_observed(Work& work, unsigned worker, const rt::Observer* observer) noexcept;

// Sleeps until the condition holds, and notifies the observer, if any.
template <class Condition>
void wait_observed(base::ConditionVariable& changed, std::unique_lock<base::Mutex>& lock,
                   const rt::Observer* observer, const Condition& condition) {
  if (condition()) return;
  const rt::Observer::Moment began = observer == nullptr ? 0 : observer->park_begins();
  changed.wait(lock, condition);
  if (observer != nullptr) observer->park_ends(began);
}

class Team {
 public:
  // Starts up to that many threads, with all signals blocked except faults, because the main thread
  // handles signals. If the system cannot start more threads, fewer suffice; throws base::Error if
  // it cannot start any. The observer, if any, is notified when they begin and end.
  Team(unsigned threads, const rt::Observer* observer, std::function<void(unsigned)> function);
  ~Team();  // waits
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Waits for all of them, calling tick about once per interval.
  void wait(std::chrono::milliseconds interval, const Tick& tick);

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(threads_.size()); }

 private:
  void run(unsigned index);

  const rt::Observer* const observer_;
  const std::function<void(unsigned)> function_;
  std::mutex mutex_;
  std::condition_variable all_done_;
  unsigned done_ = 0;  // threads that have returned; guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace fathom::fs

// Team: threads that run one function each until they have all returned.

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

// Runs a work as a task that the observer, if any, is told of.
void run_observed(Work& work, unsigned worker, const rt::Observer* observer) noexcept;

// Sleeps until the condition holds, and tells the observer, if any.
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
  // Starts up to so many threads, with all signals but faults blocked: they are the main thread's
  // to handle. Where the system has no more threads to give, fewer will do; throws base::Error when
  // it has none.
  // The observer, if any, is told of their beginning and end.
  Team(unsigned threads, const rt::Observer* observer, std::function<void(unsigned)> function);
  ~Team();  // waits
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Waits for all of them, calling tick about every interval.
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

// HeldScan: what a scan tells an observer, who holds it back where a test wants it to stay for a
// while.
//
//   HeldScan held(3);               // runs three tasks, and stops before the fourth
//   subject.scan.observer = &held;
//   held.await();                   // it has come so far
//   ...
//   held.release();                 // it goes on to its end
//
// A scan that is held still tells its progress, as one does that waits for a slow disk. Whoever
// waits for its end has to release it before.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "fathom/rt/observer.h"

namespace fathom::web {

class HeldScan final : public rt::Observer {
 public:
  explicit HeldScan(std::size_t tasks) : free_(tasks) {}
  ~HeldScan() override { release(); }

  // Until a task is held.
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ > 0 && free_ == 0; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  // So many more tasks.
  void let(std::size_t tasks) {
    const std::lock_guard lock(mutex_);
    free_ += tasks;
    changed_.notify_all();
  }
  // From now on as in the beginning: for a scan that is to begin.
  void hold(std::size_t tasks) {
    const std::lock_guard lock(mutex_);
    free_ = tasks;
    released_ = false;
  }

  Moment task_begins() const noexcept override {
    std::unique_lock lock(mutex_);
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_ || free_ > 0; });
    --held_;
    if (free_ > 0) --free_;
    return 0;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::size_t free_;
  mutable std::size_t held_ = 0;  // tasks that wait, or look whether they have to
  bool released_ = false;
};

}  // namespace fathom::web

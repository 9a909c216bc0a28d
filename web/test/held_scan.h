// HeldScan: an observer that stops a scan at a chosen task until the test releases it.
//
//   HeldScan held(3);               // runs three tasks, and stops before the fourth
//   subject.scan.observer = &held;
//   held.await();                   // the scan has stopped there
//   ...
//   held.release();                 // the scan runs to its end
//
// A held scan still reports progress, like a scan that waits for a slow disk. A test must release
// it before it waits for its end.

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

  [[nodiscard]] bool is_held() const {
    const std::lock_guard lock(mutex_);
    return held_ > 0 && free_ == 0;
  }
  // Waits until a task is held.
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ > 0 && free_ == 0; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  // Lets that many more tasks run.
  void let(std::size_t tasks) {
    const std::lock_guard lock(mutex_);
    free_ += tasks;
    changed_.notify_all();
  }
  // Restores the initial state, for a new scan.
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
  mutable std::size_t held_ = 0;  // tasks that are waiting, or about to wait
  bool released_ = false;
};

}  // namespace fathom::web

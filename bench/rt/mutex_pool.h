// MutexPool: threads with one queue of functions, a lock and a condition variable.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace fathom::bench {

class MutexPool {
 public:
  explicit MutexPool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  MutexPool(const MutexPool&) = delete;
  MutexPool& operator=(const MutexPool&) = delete;
  ~MutexPool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    filled_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void submit(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      ++unfinished_;
    }
    filled_.notify_one();
  }

  // Waits until all tasks have run, including those that tasks submitted.
  void wait() {
    std::unique_lock lock(mutex_);
    while (unfinished_ > 0) emptied_.wait_for(lock, kPatience);
  }

 private:
  // With a time-out, because glibc's condition variable may lose a wake-up (bug 25847).
  static constexpr std::chrono::milliseconds kPatience{100};

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (tasks_.empty() && !stopping_) filled_.wait_for(lock, kPatience);
      if (tasks_.empty()) return;
      const std::function<void()> task =
          std::move(tasks_.back());  // newest first, which keeps the queue short
      tasks_.pop_back();
      lock.unlock();
      task();
      lock.lock();
      if (--unfinished_ == 0) emptied_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable emptied_;
  std::deque<std::function<void()>> tasks_;
  std::size_t unfinished_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fathom::bench

// InjectionQueue: the tasks of an executor that were submitted from outside, oldest first.
//
// Guarantees: each task leaves the queue once. Adding cannot fail, because the queue is a list of
// the tasks themselves. A lock guards it, which is held for a few instructions per task; a thread
// that is suspended meanwhile keeps the others out, except from the try_ functions and the hints.
//
// All functions may be called from any thread.

#pragma once

#include <cstddef>
#include <mutex>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/task.h"

namespace fathom::rt::detail {

struct LockOf;  // of a test, which holds the lock like a thread suspended inside

class InjectionQueue {
 public:
  // Adds tasks that are linked by next_, at once and in their order.
  void push(Task& first) noexcept;
  // The oldest task; null if the queue is empty.
  Task* pop() noexcept;
  // The same, but null also if another thread holds the lock.
  Task* try_pop() noexcept;
  // The oldest task of the group; null if there is none, or if it needs a worker and the caller is
  // none. Takes constant time.
  Task* pop_of(TaskGroup& group, bool on_worker) noexcept;
  // Whether the task was still in the queue; it has been removed then.
  bool remove(Task& task) noexcept;
  // A hint; after a seq_cst fence it sees each push that precedes another thread's seq_cst fence.
  bool empty() const noexcept { return size_hint() == 0; }
  // The number of tasks; a hint in the same sense.
  std::size_t size_hint() const noexcept { return size_.load(base::memory_order_relaxed); }

 private:
  friend LockOf;

  Task* pop_oldest() noexcept;
  void link(Task& task) noexcept;
  void unlink(Task& task) noexcept;
  static void change(base::atomic<std::size_t>& tasks, std::size_t by) noexcept;

  alignas(base::kCacheLine) base::atomic<std::size_t> size_{0};  // written under mutex_
  std::mutex mutex_;
  Task* oldest_ = nullptr;  // guarded by mutex_
  Task* newest_ = nullptr;  // guarded by mutex_; meaningful only if oldest_ is not null
};

}  // namespace fathom::rt::detail

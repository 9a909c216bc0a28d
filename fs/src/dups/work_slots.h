// WorkSlots: carry out pieces of work that read files and then compare what they read.
//
// Each slot has a buffer and one piece of work at a time. Reading and comparing are two tasks of a
// TaskScheduler, in one channel each, so that one thread reads while another compares.

#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/mutex.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/sched/task_scheduler.h"

namespace fathom::fs {

// The blocks of files that a piece of work read; of kBufferBytes together (buffer_size.h).
class BlockBuffer {
 public:
  void clear();

  // The next part of the buffer, aligned, for a block of that many bytes.
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);

  std::vector<std::span<std::byte>> blocks;  // in the order of the work; null: not read

 private:
  std::unique_ptr<std::byte[]> bytes_;  // allocated when first used
  std::size_t used_ = 0;
};

// Its functions are called once each, in this order, perhaps on different threads.
class WorkItem {
 public:
  WorkItem() = default;
  WorkItem(const WorkItem&) = delete;
  WorkItem& operator=(const WorkItem&) = delete;
  virtual ~WorkItem() = default;
  virtual void read(BlockBuffer& buffer) = 0;
  virtual void compare(BlockBuffer& buffer) = 0;
};

using WorkItems = std::vector<std::unique_ptr<WorkItem>>;

class WorkSlots {
 public:
  // Takes work from `next`, on any thread but one at a time, when no added work is left; it returns
  // null at the end. Begins no further work after the token is cancelled. Notifies the observer, if
  // any, of the phases "read" and "compare".
  WorkSlots(std::function<std::unique_ptr<WorkItem>()> next, rt::CancelToken cancel,
            const rt::Observer* observer);
  WorkSlots(const WorkSlots&) = delete;
  WorkSlots& operator=(const WorkSlots&) = delete;
  ~WorkSlots();  // stops, and waits for running tasks

  // Begins with that many slots.
  void start(rt::Executor& executor, unsigned slots);
  // Raises the number of slots. Call it on the thread that called start().
  void grow(unsigned slots);
  // Waits at most about that long; returns whether all work is done. Throws what a piece of work
  // threw, after which no further work begins.
  bool wait_for(std::chrono::milliseconds duration);

  // Adds work before that of `next`. Call it from a piece of work.
  void add(WorkItems work);

 private:
  struct Slot;

  void assign_work(Slot& slot) noexcept;
  bool begin_work(Slot& slot);
  std::unique_ptr<WorkItem> take_work();
  void fail(std::exception_ptr error) noexcept;
  [[nodiscard]] bool is_over() const noexcept {
    return stopped_.load(base::memory_order_relaxed) || cancel_.cancelled();
  }

  const std::function<std::unique_ptr<WorkItem>()> next_;
  const rt::CancelToken cancel_;
  const rt::Observer* const observer_;

  base::Mutex mutex_ = base::named_mutex("dups: work");  // guards what follows
  std::deque<std::unique_ptr<WorkItem>> added_;
  std::size_t slot_count_ = 0;
  std::vector<Slot*> idle_slots_;
  std::exception_ptr error_;
  base::ConditionVariable all_idle_;

  base::atomic<bool> stopped_{false};  // something threw

  std::vector<std::unique_ptr<Slot>> slots_;   // changed only by the thread that calls grow()
  std::unique_ptr<sched::TaskRunner> runner_;  // last: its tasks use all other members
};

}  // namespace fathom::fs

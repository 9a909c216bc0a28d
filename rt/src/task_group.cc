// TaskGroup: counting unfinished tasks, and keeping the first exception.

#include "fathom/rt/task_group.h"

#include <algorithm>
#include <utility>

namespace fathom::rt {

void GroupTask::execute(Task& task) noexcept {
  auto& self = static_cast<GroupTask&>(task);
  // Read first, because the task may destroy itself.
  TaskGroup& group = *self.group_;
  const auto worker = static_cast<unsigned>(Executor::worker_index());
  if (group.cancelled()) {
    self.skip(worker);
  } else {
    try {
      self.run(worker);
    } catch (...) {
      group.fail(std::current_exception());
    }
  }
  group.finish_one();
}

TaskGroup::~TaskGroup() {
  executor_.wait_for_zero(pending_, nullptr);
}

void TaskGroup::submit(GroupTask& task) {
  task.group_ = this;
  // Relaxed: a thread that adds to a group for which others may be waiting is in one of its tasks,
  // or is otherwise synchronized with them.
  pending_.fetch_add(1, base::memory_order_relaxed);
  try {
    executor_.submit(&task);
  } catch (...) {
    finish_one();
    throw;
  }
}

void TaskGroup::wait() {
  executor_.wait_for_zero(pending_, nullptr);
  rethrow();
}

bool TaskGroup::wait_for(std::chrono::nanoseconds duration) {
  const Executor::Deadline now = std::chrono::steady_clock::now();
  // Saturates: no sum with a deadline may overflow.
  const Executor::Deadline deadline =
      now + std::clamp(duration, std::chrono::nanoseconds(0), Executor::Deadline::max() - now);
  if (!executor_.wait_for_zero(pending_, &deadline)) return false;
  rethrow();
  return true;
}

void TaskGroup::fail(std::exception_ptr error) noexcept {
  auto expected = Failure::none;
  if (failure_.compare_exchange_strong(expected, Failure::being_written,
                                       base::memory_order_relaxed)) {
    error_ = std::move(error);
    // [G3] release: pairs with rethrow()'s acquire.
    failure_.store(Failure::kept, base::memory_order_release);
  }
  cancel();
}

void TaskGroup::finish_one() noexcept {
  Executor& executor = executor_;
  if (pending_.fetch_sub(1, base::memory_order_acq_rel) == 1) executor.announce_zero();  // [G1]
}

void TaskGroup::rethrow() {
  auto expected = Failure::kept;
  // [G3] acquire: error_ was written before failure_ became kept.
  if (failure_.compare_exchange_strong(expected, Failure::thrown, base::memory_order_acquire,
                                       base::memory_order_relaxed)) {
    std::rethrow_exception(std::move(error_));
  }
}

}  // namespace fathom::rt

// TaskGroup: counting unfinished tasks, and keeping the first exception.

#include "fathom/rt/task_group.h"

#include <algorithm>
#include <utility>

#include "fathom/base/clock.h"

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
  group.finish(1);
}

TaskGroup::~TaskGroup() {
  if (!executor_.in_child()) executor_.wait_for(*this, nullptr);
}

void TaskGroup::submit(GroupTask& task) {
  task.group_ = this;
  // Relaxed: a thread that adds to a group for which others may be waiting is in one of its tasks,
  // or is otherwise synchronized with them.
  pending_.fetch_add(1, base::memory_order_relaxed);
  try {
    executor_.submit(&task);
  } catch (...) {
    finish(1);
    throw;
  }
}

void TaskGroup::submit(std::span<GroupTask* const> tasks) {
  if (tasks.empty()) return;
  Task* next = nullptr;
  for (std::size_t i = tasks.size(); i != 0; --i) {
    tasks[i - 1]->group_ = this;
    tasks[i - 1]->next_ = std::exchange(next, tasks[i - 1]);
  }
  pending_.fetch_add(tasks.size(), base::memory_order_relaxed);
  try {
    executor_.submit_all(*next, tasks.size());
  } catch (...) {
    finish(tasks.size());
    throw;
  }
}

TaskGroup::Ended TaskGroup::wait() {
  const unsigned round = round_.load(base::memory_order_relaxed);
  executor_.wait_for(*this, nullptr);
  return end_round(round);
}

TaskGroup::Ended TaskGroup::wait(const CancelToken& token) {
  const unsigned round = round_.load(base::memory_order_relaxed);
  {
    // Ends before the round, which thus reports it, and no later one.
    const CancelCallback stop(token, [this] { cancel(); });
    const Executor::Deadline deadline = token.deadline();
    if (deadline != Executor::Deadline::max() && !executor_.wait_for(*this, &deadline)) {
      token.expire(base::monotonic_now());
    }
    executor_.wait_for(*this, nullptr);
  }
  return end_round(round);
}

std::optional<TaskGroup::Ended> TaskGroup::wait_until(Executor::Deadline deadline) {
  const unsigned round = round_.load(base::memory_order_relaxed);
  if (!executor_.wait_for(*this, &deadline)) return std::nullopt;
  return end_round(round);
}

void TaskGroup::fail(std::exception_ptr error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
  }
  cancel();
}

// Called after a wait that began in this round. A round ends when a waiting thread finds the group
// cancelled; other threads that waited then find that it has ended, and that others have, if they
// return late. They are told of the last one, which ended after their wait began.
TaskGroup::Ended TaskGroup::end_round(unsigned round) {
  // [G4] acquire: a thread that finds the group re-armed sees the new round.
  if (!cancelled_.load(base::memory_order_acquire) &&
      round_.load(base::memory_order_relaxed) == round) {
    return Ended::done;
  }
  std::exception_ptr error;
  {
    const std::lock_guard lock(mutex_);
    const unsigned now = round_.load(base::memory_order_relaxed);
    if (now == round) {
      if (!cancelled()) return Ended::done;
      last_error_ = std::exchange(error_, nullptr);
      round_.store(round + 1, base::memory_order_relaxed);
      cancelled_.store(false, base::memory_order_release);  // [G4]
    }
    error = last_error_;
  }
  if (error != nullptr) std::rethrow_exception(std::move(error));
  return Ended::cancelled;
}

void TaskGroup::finish(std::size_t tasks) noexcept {
  Executor& executor = executor_;
  const std::size_t before = pending_.fetch_sub(tasks, base::memory_order_acq_rel);  // [G1]
  if (before == tasks) executor.announce_zero();
}

}  // namespace fathom::rt

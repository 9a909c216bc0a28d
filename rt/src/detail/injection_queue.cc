// InjectionQueue: a list of all tasks, and one of the tasks of each group.

#include "fathom/rt/detail/injection_queue.h"

#include "fathom/rt/task_group.h"

namespace fathom::rt::detail {

void InjectionQueue::push(Task& first) noexcept {
  const std::lock_guard lock(mutex_);
  for (Task* task = &first; task != nullptr;) {
    Task* const next = task->next_;
    link(*task);
    task = next;
  }
}

Task* InjectionQueue::pop() noexcept {
  if (empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  return pop_oldest();
}

Task* InjectionQueue::try_pop() noexcept {
  if (empty()) return nullptr;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? pop_oldest() : nullptr;
}

Task* InjectionQueue::pop_of(TaskGroup& group, bool on_worker) noexcept {
  const std::lock_guard lock(mutex_);
  Task* const task = group.oldest_outside_;
  if (task == nullptr || (task->needs_worker_ && !on_worker)) return nullptr;
  unlink(*task);
  return task;
}

bool InjectionQueue::remove(Task& task) noexcept {
  const std::lock_guard lock(mutex_);
  if (task.previous_ == &task) return false;
  unlink(task);
  return true;
}

// Under the lock.
Task* InjectionQueue::pop_oldest() noexcept {
  Task* const task = oldest_;
  if (task != nullptr) unlink(*task);
  return task;
}

// Under the lock.
void InjectionQueue::link(Task& task) noexcept {
  task.next_ = nullptr;
  task.next_of_group_ = nullptr;
  task.previous_ = newest_;
  (newest_ == nullptr ? oldest_ : newest_->next_) = &task;
  newest_ = &task;
  change(size_, 1);
  if (TaskGroup* const group = task.group_) {
    (group->oldest_outside_ == nullptr ? group->oldest_outside_
                                       : group->newest_outside_->next_of_group_) = &task;
    group->newest_outside_ = &task;
    change(group->outside_, 1);
  }
}

// Under the lock. Of a group, only the oldest task is ever removed.
void InjectionQueue::unlink(Task& task) noexcept {
  (task.previous_ == nullptr ? oldest_ : task.previous_->next_) = task.next_;
  (task.next_ == nullptr ? newest_ : task.next_->previous_) = task.previous_;
  task.previous_ = &task;
  change(size_, -std::size_t{1});
  if (TaskGroup* const group = task.group_) {
    group->oldest_outside_ = task.next_of_group_;
    change(group->outside_, -std::size_t{1});
  }
}

// Under the lock.
void InjectionQueue::change(base::atomic<std::size_t>& tasks, std::size_t by) noexcept {
  tasks.store(tasks.load(base::memory_order_relaxed) + by, base::memory_order_relaxed);
}

}  // namespace fathom::rt::detail

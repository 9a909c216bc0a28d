// Task: a piece of work that an executor runs once, without allocating anything for it.
//
// Derive from it; the object itself is the list node in every queue. The submitter must keep the
// task alive, and not move it, until it begins to run. From then on the executor never accesses it
// again, so the task may destroy or resubmit itself. A task may be submitted to at most one
// executor at a time. What happened before the submission is visible to it.
//
//   class Ping : public Task {
//    public:
//     Ping() : Task(&run) {}
//    private:
//     static void run(Task& task) noexcept { static_cast<Ping&>(task).pong(); }
//   };
//
//   auto task = make_task([&]() noexcept { work(); });  // or from a function
//   executor.submit(&task);

#pragma once

#include <type_traits>
#include <utility>

namespace fathom::rt {

class TaskGroup;

namespace detail {
class InjectionQueue;
}

class Task {
 public:
  // Must not throw: see TaskGroup for tasks that throw.
  using Run = void (*)(Task&) noexcept;

  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

 protected:
  explicit Task(Run run) noexcept : run_(run), previous_(this) {}
  ~Task() = default;

 private:
  friend class Executor;
  friend class GroupTask;
  friend class detail::InjectionQueue;
  friend class TaskGroup;

  Run run_;
  TaskGroup* group_ = nullptr;  // null: a task of no group
  bool needs_worker_ = true;    // false: a thread that waits for the group may run it, too
  // Used by InjectionQueue. previous_ is the task itself while it is not in the queue.
  Task* next_ = nullptr;
  Task* previous_;
  Task* next_of_group_ = nullptr;
};

// A task that calls a function object, which must not throw.
template <class F>
class FunctionTask final : public Task {
  static_assert(std::is_nothrow_invocable_v<F&>, "the exception would be lost: use a TaskGroup");

 public:
  explicit FunctionTask(F function) : Task(&invoke), function_(std::move(function)) {}

 private:
  static void invoke(Task& task) noexcept { static_cast<FunctionTask&>(task).function_(); }

  F function_;
};

// The result is constructed in place: `auto task = make_task(...)`.
template <class F>
[[nodiscard]] FunctionTask<std::decay_t<F>> make_task(F&& function) {
  return FunctionTask<std::decay_t<F>>(std::forward<F>(function));
}

}  // namespace fathom::rt

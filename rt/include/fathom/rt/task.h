// Task: a piece of work that an executor runs once, without allocating anything for it.
//
// Users derive from it; the object is its own place in every queue. Whoever submits a task keeps it
// alive, and in place, until it begins to run. From then on it belongs to what it runs: the
// executor never touches it again, so it may destroy or resubmit itself. A task is in one executor
// at most once at a time. What happened before submitting it is visible to it.
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

class Task {
 public:
  // An exception has nowhere to go: see TaskGroup for tasks that throw.
  using Run = void (*)(Task&) noexcept;

  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

 protected:
  explicit Task(Run run) noexcept : run_(run) {}
  ~Task() = default;

 private:
  friend class Executor;
  friend class InjectionQueue;

  Run run_;
  Task* next_ = nullptr;  // the InjectionQueue's, while the task is in it
};

// A task made of a function object that does not throw.
template <class F>
class FunctionTask final : public Task {
  static_assert(std::is_nothrow_invocable_v<F&>, "nobody would see the exception: use a TaskGroup");

 public:
  explicit FunctionTask(F function) : Task(&invoke), function_(std::move(function)) {}

 private:
  static void invoke(Task& task) noexcept { static_cast<FunctionTask&>(task).function_(); }

  F function_;
};

// The task is made in place: `auto task = make_task(...)`.
template <class F>
[[nodiscard]] FunctionTask<std::decay_t<F>> make_task(F&& function) {
  return FunctionTask<std::decay_t<F>>(std::forward<F>(function));
}

}  // namespace fathom::rt

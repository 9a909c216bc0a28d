// TaskResult: the value or the exception of one task of a TaskGroup, from TaskGroup::async().
//
//   TaskGroup group(executor);
//   TaskResult<int> left = group.async([&] { return count(first_half); });
//   TaskResult<int> right = group.async([&] { return count(second_half); });
//   group.wait();
//   const int all = left.get() + right.get();
//
// It does not wait: wait for the group, then the results are ready. An exception belongs to the
// result alone, so the other tasks go on and the wait does not rethrow it. A task that was skipped,
// because the group was cancelled, has neither value nor exception, and get() says so.
//
// Results may outlive the group. A result may be dropped at any time. It may be used by any thread,
// one at a time. What the task did is visible to a thread that has seen ready().

#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"

namespace fathom::rt {

namespace detail {

// What the task and the result share.
template <class T>
struct TaskOutcome {
  using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  enum class Status : unsigned char { running, done, skipped };

  // [G3] release when the task ends, after value and error were written; acquire before they are
  // read.
  base::atomic<Status> status{Status::running};
  std::optional<Value> value;
  std::exception_ptr error;
};

// The task's end of an outcome. Without a call, the task counts as skipped.
template <class T>
class TaskPromise {
  using Outcome = TaskOutcome<T>;

 public:
  explicit TaskPromise(std::shared_ptr<Outcome> outcome) noexcept : outcome_(std::move(outcome)) {}
  TaskPromise(TaskPromise&&) noexcept = default;
  TaskPromise& operator=(TaskPromise&&) = delete;
  TaskPromise(const TaskPromise&) = delete;
  TaskPromise& operator=(const TaskPromise&) = delete;
  ~TaskPromise() {
    if (outcome_ != nullptr) end(Outcome::Status::skipped);
  }

  // Calls the function, and keeps what it returns or throws. Call at most once.
  template <class F>
  void fulfil(F& function) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        function();
        outcome_->value.emplace();
      } else {
        outcome_->value.emplace(function());
      }
    } catch (...) {
      outcome_->error = std::current_exception();
    }
    end(Outcome::Status::done);
  }

 private:
  void end(typename Outcome::Status status) noexcept {
    outcome_->status.store(status, base::memory_order_release);  // [G3]
    outcome_.reset();
  }

  std::shared_ptr<Outcome> outcome_;
};

}  // namespace detail

template <class T>
class [[nodiscard]] TaskResult {
  using Outcome = detail::TaskOutcome<T>;
  using Status = typename Outcome::Status;

 public:
  // Whether the task has ended or was skipped. Once true, always true.
  [[nodiscard]] bool ready() const noexcept { return status() != Status::running; }

  // Whether the task was skipped.
  [[nodiscard]] bool skipped() const noexcept { return status() == Status::skipped; }

  // The value, which is moved out: call at most once. Rethrows the exception of the task. Throws
  // base::Error if the task was skipped, or has not ended.
  T get() {
    switch (status()) {
      case Status::running:
        throw base::Error("the task has not ended: wait for its group first");
      case Status::skipped:
        throw base::Error("the task was skipped because its group was cancelled");
      case Status::done:
        break;
    }
    if (outcome_->error != nullptr) std::rethrow_exception(outcome_->error);
    if constexpr (!std::is_void_v<T>) return std::move(*outcome_->value);
  }

 private:
  friend class TaskGroup;
  explicit TaskResult(std::shared_ptr<Outcome> outcome) noexcept : outcome_(std::move(outcome)) {}

  Status status() const noexcept {
    return outcome_->status.load(base::memory_order_acquire);  // [G3]
  }

  std::shared_ptr<Outcome> outcome_;  // null only after a move
};

}  // namespace fathom::rt

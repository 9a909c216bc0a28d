// ThreadObserver: remembers the workers of an executor for thread_report(), and forwards all calls
// to another observer.
//
//   diag::ThreadObserver observer;               // or: observer(&timeline_observer)
//   rt::Executor executor({.observer = &observer});

#pragma once

#include "fathom/diag/thread_report.h"
#include "fathom/rt/observer.h"

namespace fathom::diag {

class ThreadObserver final : public rt::Observer {
 public:
  // `next`, if not null, must outlive this object.
  explicit ThreadObserver(const rt::Observer* next = nullptr) noexcept : next_(next) {}

  void thread_starts(std::string_view name, unsigned worker) const noexcept override {
    remember_this_thread();
    if (next_ != nullptr) next_->thread_starts(name, worker);
  }
  void thread_ends() const noexcept override {
    if (next_ != nullptr) next_->thread_ends();
  }
  Moment task_begins() const noexcept override {
    return next_ == nullptr ? 0 : next_->task_begins();
  }
  void task_ends(Moment began) const noexcept override {
    if (next_ != nullptr) next_->task_ends(began);
  }
  void stolen(unsigned victim, std::size_t tasks) const noexcept override {
    if (next_ != nullptr) next_->stolen(victim, tasks);
  }
  Moment park_begins() const noexcept override {
    return next_ == nullptr ? 0 : next_->park_begins();
  }
  void park_ends(Moment began) const noexcept override {
    if (next_ != nullptr) next_->park_ends(began);
  }
  void wakes() const noexcept override {
    if (next_ != nullptr) next_->wakes();
  }
  void submitted() const noexcept override {
    if (next_ != nullptr) next_->submitted();
  }
  Moment phase_begins(const char* name) const noexcept override {
    return next_ == nullptr ? 0 : next_->phase_begins(name);
  }
  void phase_ends(const char* name, Moment began) const noexcept override {
    if (next_ != nullptr) next_->phase_ends(name, began);
  }
  void counts(const char* name, std::uint64_t value) const noexcept override {
    if (next_ != nullptr) next_->counts(name, value);
  }

 private:
  const rt::Observer* const next_;
};

}  // namespace fathom::diag

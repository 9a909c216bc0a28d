// Fork: offering to and taking back from the worker's deque.

#include "fathom/rt/detail/fork.h"

namespace fathom::rt::detail {

void Fork::offer(Executor& executor) noexcept {
  executor_ = &executor;  // before another worker can see it
  worker_ = executor.on_worker() ? Executor::worker_index() : -1;
  if (!executor.offer(*this)) executor_ = nullptr;
}

bool Fork::take_back() noexcept {
  if (executor_ == nullptr) return true;
  const bool left = executor_->take_back(*this, pending_);
  executor_ = nullptr;
  return left;
}

void Fork::run(Task& task) noexcept {
  auto& self = static_cast<Fork&>(task);
  Executor& executor = *self.executor_;
  const int creator = self.worker_;
  self.work_(self);
  self.pending_.store(0, base::memory_order_release);  // [F1]
  executor.announce_fork(creator);
}

}  // namespace fathom::rt::detail

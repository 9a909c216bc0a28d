#include "fathom/rt/fork.h"

namespace fathom::rt {

bool Fork::offer(Executor& executor) noexcept {
  executor_ = &executor;
  return executor.offer(*this);
}

bool Fork::take_back() noexcept {
  return executor_->take_back(*this, pending_);
}

void Fork::run(Task& task) noexcept {
  auto& self = static_cast<Fork&>(task);
  Executor& executor = *self.executor_;
  self.work_(self);
  self.pending_.store(0, base::memory_order_release);  // [F1]
  executor.announce_zero();
}

}  // namespace fathom::rt

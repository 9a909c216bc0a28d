// Fork: work that is offered to other workers until its maker comes back for it.
//
// Guarantees: the work is done exactly once, by its maker unless another worker has taken it by
// then; what it did is visible after take_back(). Nothing shared is written where nobody takes it:
// an offer costs a push to the worker's own deque, coming back a pop.
//
//   class Right : public Fork { ... };       // on the stack
//   Right right;
//   right.offer(executor);
//   left();
//   if (right.take_back()) right.work();     // else it is done
//
// Forks are taken back newest first, by the thread that offered them, which may run other tasks
// while it waits: see executor.h. fork_join() and parallel_for() are made of this.

#pragma once

#include <cstddef>

#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task.h"

namespace fathom::rt {

class Fork : public Task {
 public:
  // The work, called on another worker.
  using Work = void (*)(Fork&) noexcept;

  // Lets other workers take it. Nothing happens where the calling thread is no worker of the
  // executor, or there is no memory left: it is the caller's to do then, as take_back() will say.
  void offer(Executor& executor) noexcept;

  // Ends the offer. Whether the work is the caller's to do; otherwise another worker took it, and
  // this returns after it was done.
  [[nodiscard]] bool take_back() noexcept;

 protected:
  explicit Fork(Work work) noexcept : Task(&run), work_(work) {}
  ~Fork() = default;  // not on offer

 private:
  static void run(Task& task) noexcept;

  const Work work_;
  Executor* executor_ = nullptr;  // where it is on offer
  // 1 until another worker has done it. [F1] release when it has; acquire where it is read as 0.
  // That is the last that the worker does to it.
  base::atomic<std::size_t> pending_{1};
};

}  // namespace fathom::rt

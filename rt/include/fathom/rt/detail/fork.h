// Fork: a piece of work that other workers may take until its creator takes it back.
//
// Guarantees: the work is done exactly once, by its creator unless another worker has taken it by
// then; its effects are visible after take_back(). If nobody takes it, nothing shared is written:
// an offer costs a push to the worker's own deque, taking it back a pop.
//
//   class Right : public Fork { ... };       // on the stack
//   Right right;
//   right.offer(executor);
//   left();
//   if (right.take_back()) right.work();     // otherwise it is done
//
// Forks are taken back newest first, by the thread that offered them, which may run other tasks
// while it waits, but none from outside: see executor.h. fork_join() and parallel_for() are built
// on this class.

#pragma once

#include <cstddef>

#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task.h"

namespace fathom::rt::detail {

class Fork : public Task {
 public:
  // The work, called on another worker.
  using Work = void (*)(Fork&) noexcept;

  // Lets other workers take the work. Does nothing if there is no memory or no worker, nor if the
  // calling thread is not a worker of the executor and nobody is idle: take_back() then returns
  // true.
  void offer(Executor& executor) noexcept;

  // Ends the offer. True: the caller must do the work. False: another worker took it, and it is
  // done.
  [[nodiscard]] bool take_back() noexcept;

 protected:
  explicit Fork(Work work) noexcept : Task(&run), work_(work) {}
  ~Fork() = default;  // not on offer

 private:
  static void run(Task& task) noexcept;

  const Work work_;
  Executor* executor_ = nullptr;  // where it is on offer
  int worker_ = -1;               // the worker that offers it; -1: another thread
  // 1 until another worker has done the work. [F1] release when it is done; acquire where it is
  // read as 0. This store is the worker's last access to the object.
  base::atomic<std::size_t> pending_{1};
};

}  // namespace fathom::rt::detail

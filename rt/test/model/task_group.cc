// TaskGroup, with the checker's atomics and mutex, on an executor of one task: the thread that
// submits it runs it, as soon as two threads wait.

#include "model/mutex.h"

#include "../../src/task_group.cc"  // NOLINT(bugprone-suspicious-include): compiled with other atomics

namespace fathom::rt {

struct Executor::Worker {};

Executor::Executor(Options options)
    : max_threads_(1),
      observer_(nullptr),
      spins_(false),
      name_(std::move(options.name)),
      sleepers_(1, 2, nullptr) {}

Executor::~Executor() = default;

int Executor::worker_index() noexcept {
  return -1;
}

void Executor::submit(Task* task) {
  for (;;) {
    const unsigned waiting = waiting_.load(base::memory_order_relaxed);
    if (waiting == 2) break;
    waiting_.wait(waiting, base::memory_order_relaxed);
  }
  task->run_(*task);
}

void Executor::submit_all(Task& first, std::size_t /*tasks*/) {
  submit(&first);
}

bool Executor::wait_for(TaskGroup& /*group*/, const Deadline* /*deadline*/) {
  waiting_.fetch_add(1, base::memory_order_relaxed);
  waiting_.notify_all();
  // Acquire: pairs with the release in announce_zero(), as pending_ does.
  while (!finished_.load(base::memory_order_acquire)) {
    finished_.wait(false, base::memory_order_relaxed);
  }
  return true;
}

void Executor::announce_zero() noexcept {
  finished_.store(true, base::memory_order_release);  // pairs with the acquire in wait_for()
  finished_.notify_all();
}

}  // namespace fathom::rt

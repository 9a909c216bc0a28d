// Executor: the workers' loop, stealing in random order, and the wake-up protocol.

#include "fathom/rt/executor.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "fathom/base/crash_stack.h"
#include "fathom/base/error.h"
#include "fathom/base/thread_name.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/deque.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::rt {

namespace {

// How many own tasks a worker runs before it checks the tasks from outside. A prime, as in Go and
// tokio, so that it does not resonate with periodic programs.
constexpr std::uint32_t kFairness = 61;
// The maximum of one steal: moving more would take long in a deque that its owner is using.
constexpr std::size_t kMostStolen = 32;
// How often an idle worker searches before it sleeps, and how long it pauses in between: together
// some ten microseconds, about the cost of going to sleep and waking up.
constexpr unsigned kRounds = 16;
constexpr unsigned kRest = 16;

std::thread start_std_thread(std::function<void()> function) {
  return std::thread(std::move(function));
}

}  // namespace

// ---- Tasks from outside

void InjectionQueue::push(Task& task) noexcept {
  task.next_ = nullptr;
  const std::lock_guard lock(mutex_);
  (oldest_ == nullptr ? oldest_ : newest_->next_) = &task;
  newest_ = &task;
  size_.store(size_.load(base::memory_order_relaxed) + 1, base::memory_order_relaxed);
}

Task* InjectionQueue::pop() noexcept {
  if (empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  Task* const task = oldest_;
  if (task == nullptr) return nullptr;
  oldest_ = task->next_;
  size_.store(size_.load(base::memory_order_relaxed) - 1, base::memory_order_relaxed);
  return task;
}

// ---- A worker

struct alignas(base::kCacheLine) Executor::Worker {
  Worker(Executor& owner, unsigned number)
      : executor(owner), index(number), seed(number * 0x9e3779b97f4a7c15U + 1) {}

  // The calling thread's worker; null on other threads.
  static Worker*& current() noexcept {
    static thread_local Worker* worker = nullptr;
    return worker;
  }

  // xorshift (Marsaglia 2003).
  std::uint64_t next_random() noexcept {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
  }

  Executor& executor;
  const unsigned index;
  WorkStealingDeque<Task*> deque;  // owned by this worker's thread
  std::uint32_t taken = 0;         // tasks taken so far; used only by this worker
  std::uint64_t seed;              // never 0; used only by this worker
  std::thread thread;              // guarded by start_mutex_
};

// ---- Construction and destruction

Executor::Executor() : Executor(Options{}) {}

Executor::Executor(Options options)
    : max_threads_(std::max(options.threads != 0 ? options.threads : default_concurrency(),
                            options.max_threads)),
      observer_(options.observer),
      spins_(default_concurrency() > 1),
      name_(std::move(options.name)),
      start_thread_(options.start_thread ? std::move(options.start_thread) : start_std_thread),
      workers_(new std::unique_ptr<Worker>[max_threads_]),
      threads_(options.threads != 0 ? options.threads : default_concurrency()) {}

Executor::~Executor() {
  {
    const std::lock_guard lock(start_mutex_);
    stopping_.store(true, base::memory_order_relaxed);  // step 1
  }
  // Step 2. A fence [X2] and the notification: sleeping workers are woken, and workers that are
  // about to sleep see stopping_.
  idle_.notify_all();
  // Steps 3 and 4 happen in sleep().
  const unsigned started = started_.load(base::memory_order_relaxed);
  for (unsigned i = 0; i < started; ++i) workers_[i]->thread.join();  // step 5
}

unsigned Executor::threads() const noexcept {
  return threads_.load(base::memory_order_relaxed);
}

unsigned Executor::started_threads() const noexcept {
  return started_.load(base::memory_order_relaxed);
}

std::size_t Executor::queued_hint() const noexcept {
  std::size_t tasks = injected_.size_hint();
  const unsigned started = started_.load(base::memory_order_acquire);  // [X1]
  for (unsigned i = 0; i < started; ++i) tasks += workers_[i]->deque.size_hint();
  return tasks;
}

int Executor::worker_index() noexcept {
  const Worker* const worker = Worker::current();
  return worker == nullptr ? -1 : static_cast<int>(worker->index);
}

Executor::Worker* Executor::current_worker() const noexcept {
  Worker* const worker = Worker::current();
  return worker != nullptr && &worker->executor == this ? worker : nullptr;
}

void Executor::grow(unsigned threads) {
  {
    const std::lock_guard lock(start_mutex_);
    const unsigned wanted = std::min(threads, max_threads_);
    if (wanted <= threads_.load(base::memory_order_relaxed)) return;
    threads_.store(wanted, base::memory_order_relaxed);
  }
  if (has_work()) wake_for_work();
}

// Starts another worker if the limit allows; returns whether it did.
bool Executor::start_one() noexcept {
  if (started_threads() >= threads()) return false;
  const std::lock_guard lock(start_mutex_);
  const unsigned index = started_.load(base::memory_order_relaxed);
  if (index >= threads_.load(base::memory_order_relaxed)) return false;
  if (stopping_.load(base::memory_order_relaxed)) return false;
  try {
    if (workers_[index] == nullptr) workers_[index] = std::make_unique<Worker>(*this, index);
    Worker* const worker = workers_[index].get();
    const SignalsBlocked blocked;
    worker->thread = start_thread_([this, worker] { work(*worker); });
  } catch (...) {
    // The system refuses more threads. Retrying with every task would be slow; grow() may retry.
    // Without any worker, however, nothing runs: then the next submit() must retry.
    if (index > 0) threads_.store(index, base::memory_order_relaxed);
    return false;
  }
  started_.store(index + 1, base::memory_order_release);  // [X1]
  return true;
}

// Ensures that there is a worker, or throws.
void Executor::require_worker() {
  if (started_threads() != 0) return;
  const bool marked = !waking_.exchange(true, base::memory_order_seq_cst);  // [X3]
  if (start_one()) return;
  if (marked) unmark_waking();
  if (started_threads() == 0) {
    throw base::Error("cannot start a thread: the system refuses");
  }
}

// ---- Waking workers

void Executor::submit(Task* task) {
  if (Worker* const worker = current_worker()) {
    try {
      worker->deque.push(task);
    } catch (const std::bad_alloc&) {
      injected_.push(*task);
    }
  } else {
    require_worker();
    injected_.push(*task);
    if (observer_ != nullptr) observer_->submitted();
  }
  wake_for_work();
}

bool Executor::wants_work() const noexcept {
  return searching_.load(base::memory_order_relaxed) != 0 ||
         waking_.load(base::memory_order_relaxed) || can_wake();
}

bool Executor::wants_split() const noexcept {
  const Worker* const worker = current_worker();
  return worker != nullptr && worker->deque.size_hint() < threads() && wants_work();
}

bool Executor::wants_first_split() const noexcept {
  const Worker* const worker = current_worker();
  return worker != nullptr && worker->deque.size_hint() < std::bit_width(threads() - 1);
}

// Called after a task was added.
void Executor::wake_for_work() noexcept {
  base::fence(base::memory_order_seq_cst);  // [X2]
  if (searching_.load(base::memory_order_relaxed) != 0) return;
  if (waking_.load(base::memory_order_relaxed)) return;
  if (can_wake()) wake_one();
}

// Whether there is a sleeping worker, or one that has not started. A worker that goes to sleep
// after this check finds the work itself.
bool Executor::can_wake() const noexcept {
  return idle_.has_waiters() || started_threads() < threads();
}

void Executor::wake_one() noexcept {
  // [X3] seq_cst: pairs with begin_search()'s store. The woken worker clears the mark, and that
  // comes later, because the notification saw its registration before it unregistered.
  if (waking_.exchange(true, base::memory_order_seq_cst)) return;
  if (!idle_.notify_one() && !start_one()) return unmark_waking();
  if (observer_ != nullptr) observer_->wakes();
}

// Clears a mark that no other thread will clear.
void Executor::unmark_waking() noexcept {
  waking_.store(false, base::memory_order_seq_cst);
  base::fence(base::memory_order_seq_cst);  // [X2] others may have relied on the mark
  if (idle_.has_waiters() && has_work()) wake_one();
}

// Requires a preceding seq_cst fence. Whether there is a task in any queue.
bool Executor::has_work() const noexcept {
  if (!injected_.empty()) return true;
  const unsigned started = started_.load(base::memory_order_acquire);  // [X1]
  for (unsigned i = 0; i < started; ++i) {
    if (!workers_[i]->deque.empty()) return true;
  }
  return false;
}

// ---- The loop of a worker

void Executor::work(Worker& worker) noexcept {
  const base::CrashStack crash_stack(base::CrashStack::IfWanted{});
  { const std::lock_guard started(start_mutex_); }  // wait until started_ counts this worker
  Worker::current() = &worker;
  base::name_this_thread(name_, worker.index);
  if (observer_ != nullptr) observer_->thread_starts(name_, worker.index);
  Task* task = search(worker, Woken::yes, Order::outside_first);
  for (;;) {
    if (task != nullptr) {
      run(*task);
      task = take(worker);
    } else if (sleep()) {
      task = search(worker, Woken::yes, Order::outside_first);
    } else {
      break;
    }
  }
  if (observer_ != nullptr) observer_->thread_ends();
  Worker::current() = nullptr;
}

inline void Executor::run(Task& task) const noexcept {
  if (observer_ == nullptr) [[likely]] {
    task.run_(task);
  } else {
    run_observed(task);
  }
}

void Executor::run_observed(Task& task) const noexcept {
  const Observer::Moment began = observer_->task_begins();
  task.run_(task);
  observer_->task_ends(began);
}

// The next task; null if none was found.
Task* Executor::take(Worker& worker) noexcept {
  if (++worker.taken % kFairness == 0) {
    if (Task* const task = injected_.pop()) return task;
  }
  if (const auto task = worker.deque.pop()) return *task;
  return search(worker, Woken::no, Order::outside_first);
}

// The same for a worker that waits within a task. Tasks from outside come last, because each of
// them may wait as well, on top of this one.
Task* Executor::take_nested(Worker& worker) noexcept {
  if (const auto task = worker.deque.pop()) return *task;
  return search(worker, Woken::no, Order::outside_last);
}

// Searches all queues for a task, several times.
Task* Executor::search(Worker& worker, Woken woken, Order order) noexcept {
  const unsigned searching = begin_search(woken);
  // At most half of the workers spin: the others need the processors.
  const bool spin = spins_ && 2 * searching <= std::max(started_threads(), 2U);
  Task* task = sweep(worker, order);
  for (unsigned round = 1; spin && task == nullptr && round < kRounds; ++round) {
    for (unsigned i = 0; i < kRest; ++i) base::cpu_relax();
    task = sweep(worker, order);
  }
  end_search();
  return task;
}

// Returns the number of workers that are searching now.
unsigned Executor::begin_search(Woken woken) noexcept {
  const unsigned before = searching_.fetch_add(1, base::memory_order_seq_cst);
  // [X3] seq_cst. searching_ was incremented before waking_ is cleared, so one mark replaces the
  // other.
  if (woken == Woken::yes) waking_.store(false, base::memory_order_seq_cst);
  return before + 1;
}

void Executor::end_search() noexcept {
  if (searching_.fetch_sub(1, base::memory_order_seq_cst) != 1) return;
  base::fence(base::memory_order_seq_cst);  // [X2]
  if (can_wake() && has_work()) wake_one();
}

// Searches every queue once, except the worker's own, which is empty.
Task* Executor::sweep(Worker& worker, Order order) noexcept {
  if (order == Order::outside_first) {
    if (Task* const task = injected_.pop()) return task;
  }
  const unsigned started = started_.load(base::memory_order_acquire);  // [X1]
  const auto first = static_cast<unsigned>(worker.next_random() % started);
  for (unsigned i = 0; i < started; ++i) {
    Worker& victim = *workers_[(first + i) % started];
    if (&victim == &worker) continue;
    StealBatch<Task*> batch;
    do {
      batch = victim.deque.steal_batch(worker.deque, kMostStolen);
    } while (batch.status == StealStatus::lost_race);
    if (batch.status != StealStatus::taken) continue;
    if (observer_ != nullptr) observer_->stolen(victim.index, batch.moved + 1);
    return batch.value;
  }
  return order == Order::outside_last ? injected_.pop() : nullptr;
}

// Sleeps until there may be work. False if there never will be.
bool Executor::sleep() noexcept {
  asleep_.fetch_add(1, base::memory_order_seq_cst);
  const EventCount::Key key = idle_.prepare_wait();  // and a fence [X2]
  if (has_work() || finished_.load(base::memory_order_relaxed)) {
    idle_.cancel_wait(key);
  } else if (stopping_.load(base::memory_order_relaxed) &&
             asleep_.load(base::memory_order_seq_cst) == started_threads()) {
    finished_.store(true, base::memory_order_relaxed);  // step 3 of the destructor
    idle_.cancel_wait(key);
    idle_.notify_all();  // step 4
  } else {
    park(idle_, key, nullptr);
  }
  asleep_.fetch_sub(1, base::memory_order_seq_cst);
  return !finished_.load(base::memory_order_relaxed);
}

// ---- For Fork

bool Executor::offer(Task& task) noexcept {
  Worker* const worker = current_worker();
  if (worker == nullptr) return false;
  try {
    worker->deque.push(&task);
  } catch (const std::bad_alloc&) {
    return false;
  }
  wake_for_work();
  return true;
}

bool Executor::take_back(Task& task, const base::atomic<std::size_t>& pending) noexcept {
  Worker& worker = *current_worker();
  // Above the task in the deque are only tasks that were submitted meanwhile; below it may be
  // others, if this worker ran its creator while it waited for something else. So check before each
  // step.
  while (pending.load(base::memory_order_acquire) != 0) {  // [F1]
    const auto newest = worker.deque.pop();
    if (!newest) break;
    if (*newest == &task) return true;
    run(**newest);
  }
  help_until_zero(worker, pending, nullptr);
  return false;
}

// ---- For TaskGroup

bool Executor::wait_for_zero(const base::atomic<std::size_t>& pending, const Deadline* deadline) {
  if (Worker* const worker = current_worker()) return help_until_zero(*worker, pending, deadline);
  while (pending.load(base::memory_order_acquire) != 0) {  // [G1]
    const EventCount::Key key = zero_.prepare_wait();
    if (pending.load(base::memory_order_acquire) == 0) {  // [G1]
      zero_.cancel_wait(key);
      break;
    }
    if (!commit_wait(zero_, key, deadline)) {
      return pending.load(base::memory_order_acquire) == 0;  // [G1]
    }
  }
  return true;
}

bool Executor::help_until_zero(Worker& worker, const base::atomic<std::size_t>& pending,
                               const Deadline* deadline) {
  while (pending.load(base::memory_order_acquire) != 0) {  // [G1]
    if (deadline != nullptr && std::chrono::steady_clock::now() >= *deadline) return false;
    if (Task* const task = take_nested(worker)) {
      run(*task);
    } else {
      help_sleep(pending, deadline);
    }
  }
  return true;
}

void Executor::help_sleep(const base::atomic<std::size_t>& pending, const Deadline* deadline) {
  helping_.fetch_add(1, base::memory_order_seq_cst);
  const EventCount::Key key = idle_.prepare_wait();                   // and a fence [X2] [G2]
  if (has_work() || pending.load(base::memory_order_acquire) == 0) {  // [G1]
    idle_.cancel_wait(key);
  } else {
    park(idle_, key, deadline);
  }
  helping_.fetch_sub(1, base::memory_order_relaxed);
  // This worker may have been woken for a task but returns without running one: wake another
  // worker.
  begin_search(Woken::yes);
  end_search();
}

void Executor::park(EventCount& events, EventCount::Key key, const Deadline* deadline) noexcept {
  const Observer::Moment began = observer_ == nullptr ? 0 : observer_->park_begins();
  commit_wait(events, key, deadline);
  if (observer_ != nullptr) observer_->park_ends(began);
}

bool Executor::commit_wait(EventCount& events, EventCount::Key key, const Deadline* deadline) {
  if (deadline != nullptr) return events.commit_wait_until(key, *deadline);
  events.commit_wait(key);
  return true;
}

void Executor::announce_zero() noexcept {
  // Begins with a fence [G2]: either this thread sees the helper, or the helper sees the zero.
  zero_.notify_all();
  if (helping_.load(base::memory_order_relaxed) != 0) idle_.notify_all();
}

}  // namespace fathom::rt

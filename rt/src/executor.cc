// Executor: the workers' loop, stealing in random order, and the wake-up protocol.

#include "fathom/rt/executor.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/crash_stack.h"
#include "fathom/base/error.h"
#include "fathom/base/thread_name.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/deque.h"
#include "fathom/rt/signals_blocked.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {

namespace {

// How many own tasks a worker runs before it checks the tasks from outside, and then takes its own
// oldest task. A prime, as in Go and tokio, so that it does not resonate with periodic programs.
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

// Replaces the 0 that means the default, which may change at any time and so is read only once.
// Returns the maximum for grow().
unsigned settle(Executor::Options& options) {
  if (options.threads == 0) options.threads = default_concurrency();
  return std::max(options.threads, options.max_threads);
}

}  // namespace

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
    : max_threads_(settle(options)),
      observer_(options.observer),
      spins_(options.threads > 1 && usable_processors() > 1),
      name_(std::move(options.name)),
      start_thread_(options.start_thread ? std::move(options.start_thread) : start_std_thread),
      workers_(new std::unique_ptr<Worker>[max_threads_]),
      threads_(options.threads),
      sleepers_(max_threads_, max_threads_ / 4, observer_) {}

Executor::~Executor() {
  if (in_child()) {
    forget_threads();
    return;
  }
  {
    const std::lock_guard lock(start_mutex_);
    stopping_.store(true, base::memory_order_release);  // step 1 [X4]
  }
  // Step 2. A fence and the notification: sleeping workers check again, and workers that are about
  // to sleep see stopping_.
  sleepers_.ring(Sleepers::Kind::idle);
  // Steps 3 and 4 happen in sleep().
  const unsigned started = started_.load(base::memory_order_relaxed);
  for (unsigned i = 0; i < started; ++i) workers_[i]->thread.join();  // step 5
}

// In a child of fork(), where a std::thread can be neither joined nor detached: leaks it. Locks no
// mutex, which a thread of the parent may have held.
void Executor::forget_threads() noexcept {
  for (unsigned i = 0; i < max_threads_; ++i) static_cast<void>(workers_[i].release());
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
  fork_check_.refuse_child("this executor");
  {
    const std::lock_guard lock(start_mutex_);
    const unsigned wanted = std::min(threads, max_threads_);
    if (wanted <= threads_.load(base::memory_order_relaxed)) return;
    threads_.store(wanted, base::memory_order_relaxed);
  }
  base::fence(base::memory_order_seq_cst);  // [X2]
  if (const auto place = unserved(&Executor::can_wake)) wake_one(*place);
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

// Ensures that there is a worker, or throws. Returns whether it started one.
bool Executor::require_worker() {
  if (started_threads() != 0) return false;
  sleepers_.begin_search();
  if (start_one()) return true;
  end_search();
  if (started_threads() == 0) {
    throw base::Error("cannot start a thread: the system refuses");
  }
  return false;
}

// ---- Waking workers

void Executor::submit(Task* task) {
  task->next_ = nullptr;
  submit_all(*task, 1);
}

void Executor::submit(std::span<Task* const> tasks) {
  if (tasks.empty()) return;
  for (std::size_t i = 0; i + 1 < tasks.size(); ++i) tasks[i]->next_ = tasks[i + 1];
  tasks.back()->next_ = nullptr;
  submit_all(*tasks.front(), tasks.size());
}

// Submits tasks that are linked by next_.
void Executor::submit_all(Task& first, std::size_t tasks) {
  fork_check_.refuse_child("this executor");
  if (Worker* const worker = current_worker()) return submit_inside(*worker, first, tasks);
  assert(!stopping_.load(base::memory_order_relaxed) && "submit() after the destructor began");
  const bool started = require_worker();
  if (tasks != 1 || started || !hand_over(first)) submit_outside(first, tasks, started);
  for (; observer_ != nullptr && tasks != 0; --tasks) observer_->submitted();
}

void Executor::submit_inside(Worker& worker, Task& first, std::size_t tasks) noexcept {
  Task* task = &first;
  std::size_t pushed = 0;
  try {
    while (task != nullptr) {
      Task* const next = task->next_;  // read first: the task may run and end now
      worker.deque.push(task);
      task = next;
      ++pushed;
    }
  } catch (const std::bad_alloc&) {  // the other queue needs no memory
    submit_outside(*task, tasks - pushed, false);
  }
  if (pushed != 0) wake_for_work(Place::inside, pushed);
}

// Gives a task to a worker that sleeps, which saves the ways through the queue and the search, if
// nobody else could begin it sooner.
bool Executor::hand_over(Task& task) noexcept {
  return sleepers_.marks() == 0 && injected_.empty() && sleepers_.hand_over(task);
}

// `started`: whether a worker was started for the first task, so that nobody else need be woken for
// it while that worker has a mark.
void Executor::submit_outside(Task& first, std::size_t tasks, bool started) noexcept {
  const bool of_group = first.group_ != nullptr;  // read first: the task may run and end now
  injected_.push(first);
  base::fence(base::memory_order_seq_cst);  // [X2]
  if (started && sleepers_.marks() != 0) --tasks;
  if (tasks != 0) wake_for_work(Place::outside, tasks);
  // Workers that wait for a group take its tasks from outside; which group is not known here.
  if (of_group && waiting_.load(base::memory_order_relaxed) != 0) {
    sleepers_.ring(Sleepers::Kind::helping);
  }
}

bool Executor::wants_work() const noexcept {
  return sleepers_.marks() != 0 || can_wake(Place::outside);
}

bool Executor::wants_split() const noexcept {
  const Worker* const worker = current_worker();
  if (worker == nullptr) return injected_.empty() && wants_work();
  return worker->deque.size_hint() < threads() &&
         (sleepers_.marks() != 0 || can_wake(Place::inside));
}

bool Executor::wants_first_split() const noexcept {
  const Worker* const worker = current_worker();
  if (worker == nullptr) return wants_split();
  return worker->deque.size_hint() <
         static_cast<std::size_t>(std::bit_width(threads() - 1));  // an int since GCC 13
}

// Called after tasks were added. Workers with a mark find as many of them.
void Executor::wake_for_work(Place place, std::size_t tasks) noexcept {
  base::fence(base::memory_order_seq_cst);  // [X2]
  const std::size_t marks = sleepers_.marks();
  std::size_t wanted = tasks > marks ? tasks - marks : 0;
  if (wanted == 0 && !sleepers_.enough_marks()) wanted = 1;
  for (; wanted != 0 && can_wake(place); --wanted) wake_one(place);
}

// Whether a worker sleeps that may take tasks from this place. A worker that goes to sleep after
// this check finds the work itself.
bool Executor::sleeps_for(Place place) const noexcept {
  return sleepers_.any(Sleepers::Kind::idle) ||
         (place == Place::inside && sleepers_.any(Sleepers::Kind::helping));
}

// The same, or whether a worker has not started yet.
bool Executor::can_wake(Place place) const noexcept {
  return sleeps_for(place) || started_threads() < threads();
}

void Executor::wake_one(Place place) noexcept {
  for (std::optional<Place> next = place; next;) {
    sleepers_.begin_search();
    if (sleepers_.wake(Sleepers::Kind::idle)) return;
    if (start_one()) {
      if (observer_ != nullptr) observer_->wakes();
      return;
    }
    if (*next == Place::inside && sleepers_.wake(Sleepers::Kind::helping)) return;
    // Others may have relied on the mark. But no thread can be started now.
    next = sleepers_.end_search() ? unserved(&Executor::sleeps_for) : std::nullopt;
  }
}

void Executor::end_search() noexcept {
  if (!sleepers_.end_search()) return;
  if (const auto place = unserved(&Executor::can_wake)) wake_one(*place);
}

// Requires a preceding seq_cst fence. Where there is a task for which a worker can be woken.
std::optional<Executor::Place> Executor::unserved(bool (Executor::*can_wake_for)(Place)
                                                      const noexcept) const noexcept {
  for (const Place place : {Place::inside, Place::outside}) {
    if ((this->*can_wake_for)(place) && has_work(place)) return place;
  }
  return std::nullopt;
}

// Requires a preceding seq_cst fence. Whether there is a task in this place.
bool Executor::has_work(Place place) const noexcept {
  if (place == Place::outside) return !injected_.empty();
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
  Sleepers::Message message{true};  // from the thread that started this one
  while (!finished_.load(base::memory_order_relaxed)) {
    Task* task = message.task != nullptr ? message.task : search(worker, message.mark, nullptr);
    for (; task != nullptr; task = take(worker)) run(*task);
    message = sleep(worker);
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
  const std::uint32_t turn = ++worker.taken % kFairness;
  if (turn == 0) {
    if (Task* const task = injected_.try_pop()) return task;
  } else if (turn == 1) {  // not only if there is none from outside, which may always be one
    if (const auto oldest = worker.deque.steal(); oldest.status == StealStatus::taken)
      return oldest.value;
  }
  if (const auto task = worker.deque.pop()) return *task;
  return search(worker, false, nullptr);
}

// The same for a worker that waits within a task.
Task* Executor::take_nested(Worker& worker, const Wait& wait, bool marked) noexcept {
  if (const auto task = worker.deque.pop()) {
    if (marked) end_search();
    return *task;
  }
  return search(worker, marked, &wait);
}

// Searches the other queues several times, or until the wait is over, if there is one. `marked`:
// whether the worker was woken for that, and so owns a mark.
Task* Executor::search(Worker& worker, bool marked, const Wait* wait) noexcept {
  if (!marked) sleepers_.begin_search();
  // At most half of the workers spin: the others need the processors.
  const bool spin = spins_ && 2 * sleepers_.marks() <= std::max(started_threads(), 2U);
  Task* task = sweep(worker, wait);
  for (unsigned round = 1; spin && task == nullptr && round < kRounds; ++round) {
    if (wait != nullptr && wait->pending.load(base::memory_order_relaxed) == 0) break;
    for (unsigned i = 0; i < kRest; ++i) base::cpu_relax();
    task = sweep(worker, wait);
  }
  end_search();
  return task;
}

// Searches every queue once, except the worker's own, which is empty. Tasks from outside come
// first, but within a task last, and only those of the group that it waits for. If another thread
// holds their lock, and may be suspended, the worker waits for it only if no deque has a task.
Task* Executor::sweep(Worker& worker, const Wait* wait) noexcept {
  if (wait == nullptr) {
    if (Task* const task = injected_.try_pop()) return task;
  }
  if (Task* const task = steal(worker)) return task;
  if (wait == nullptr) return injected_.pop();
  return wait->has_outside() ? injected_.pop_of(*wait->group, true) : nullptr;
}

Task* Executor::steal(Worker& worker) noexcept {
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
  return nullptr;
}

// Sleeps until there may be work, or finished_ is set.
Executor::Sleepers::Message Executor::sleep(Worker& worker) noexcept {
  asleep_.fetch_add(1, base::memory_order_seq_cst);  // [X5]
  const auto has_any_work = [this] { return has_work(Place::outside) || has_work(Place::inside); };
  sleepers_.sleep(worker.index, Sleepers::Kind::idle, [&] {
    return has_any_work() || finished_.load(base::memory_order_relaxed) || all_asleep();
  });
  base::fence(base::memory_order_seq_cst);  // [X2]
  if (!has_any_work() && all_asleep()) {
    finished_.store(true, base::memory_order_relaxed);  // step 3 of the destructor
    sleepers_.ring(Sleepers::Kind::idle);               // step 4
  }
  asleep_.fetch_sub(1, base::memory_order_seq_cst);  // [X5] before it takes its message
  return sleepers_.take_message(worker.index, Sleepers::Kind::idle);
}

// Whether the destructor has begun and no worker has a task. A worker counts as awake before it
// takes its message, so the messages are examined first.
bool Executor::all_asleep() const noexcept {
  if (!stopping_.load(base::memory_order_acquire)) return false;  // [X4]
  const unsigned started = started_threads();
  for (unsigned i = 0; i < started; ++i) {
    if (sleepers_.has_message(i)) return false;
  }
  return asleep_.load(base::memory_order_seq_cst) == started;  // [X5]
}

// ---- For Fork

bool Executor::offer(Task& task) noexcept {
  if (in_child()) return false;
  try {
    if (Worker* const worker = current_worker()) {
      worker->deque.push(&task);
      wake_for_work(Place::inside);
    } else if (wants_split()) {
      task.next_ = nullptr;
      submit_outside(task, 1, require_worker());
    } else {
      return false;
    }
  } catch (const std::exception&) {  // no memory, or no thread
    return false;
  }
  return true;
}

bool Executor::take_back(Task& task, const base::atomic<std::size_t>& pending) noexcept {
  if (current_worker() == nullptr) {
    if (injected_.remove(task)) return true;
    wait_outside(Wait{pending});
    return false;
  }
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
  help(worker, Wait{pending});
  return false;
}

// ---- For TaskGroup

bool Executor::wait_for(TaskGroup& group, const Deadline* deadline) {
  if (group.pending_.load(base::memory_order_relaxed) != 0) {
    fork_check_.refuse_child("this group of tasks");
  }
  const Wait wait{group.pending_, &group, deadline};
  Worker* const worker = current_worker();
  return worker != nullptr ? help(*worker, wait) : wait_outside(wait);
}

// On a thread that is not a worker.
bool Executor::wait_outside(const Wait& wait) noexcept {
  const auto is_over = [&] { return wait.pending.load(base::memory_order_acquire) == 0; };  // [G1]
  const auto is_late = [&] {
    return wait.deadline != nullptr && base::monotonic_now() >= *wait.deadline;
  };
  // The worker that took a part of a loop is probably about to end.
  for (unsigned i = 0; spins_ && wait.group == nullptr && i < kRounds * kRest && !is_over(); ++i) {
    base::cpu_relax();
  }
  while (!is_over() && !is_late()) {
    if (run_own(wait)) continue;
    const EventCount::Key key = zero_.prepare_wait();
    if (is_over()) {
      zero_.cancel_wait(key);
    } else if (wait.deadline == nullptr) {
      zero_.commit_wait(key);
    } else {
      zero_.commit_wait_until(key, *wait.deadline);
    }
  }
  return is_over();
}

// Runs a task of the group that was submitted from outside, if there is one that the calling
// thread may run, and there is no deadline, which the task might miss. But an idle worker can do it
// better: what that submits stays in its deque. Returns whether it ran one.
bool Executor::run_own(const Wait& wait) noexcept {
  if (wait.deadline != nullptr || !wait.has_outside() || can_wake(Place::outside)) return false;
  if (Worker::current() != nullptr) return false;  // of another executor, with a number of its own
  Task* const task = injected_.pop_of(*wait.group, false);
  if (task != nullptr) run(*task);
  return task != nullptr;
}

bool Executor::Wait::has_outside() const noexcept {
  return group != nullptr && group->outside_.load(base::memory_order_relaxed) != 0;
}

bool Executor::help(Worker& worker, const Wait& wait) {
  bool marked = false;
  bool in_time = true;
  while (in_time && wait.pending.load(base::memory_order_acquire) != 0) {  // [G1]
    if (Task* const task = take_nested(worker, wait, std::exchange(marked, false))) {
      run(*task);
    } else {
      marked = help_sleep(worker, wait);
    }
    in_time = wait.deadline == nullptr || base::monotonic_now() < *wait.deadline;
  }
  if (marked) end_search();
  return wait.pending.load(base::memory_order_acquire) == 0;  // [G1]
}

// Returns whether the worker owns a mark.
bool Executor::help_sleep(Worker& worker, const Wait& wait) {
  if (wait.group != nullptr) waiting_.fetch_add(1, base::memory_order_seq_cst);  // [X2] [G2]
  sleepers_.sleep(
      worker.index, Sleepers::Kind::helping,
      [&] {                                                           // after a fence [X2] [G2]
        return wait.pending.load(base::memory_order_acquire) == 0 ||  // [G1]
               wait.has_outside() || has_work(Place::inside);
      },
      wait.deadline);
  if (wait.group != nullptr) waiting_.fetch_sub(1, base::memory_order_relaxed);
  return sleepers_.take_message(worker.index, Sleepers::Kind::helping).mark;
}

void Executor::announce_fork(int worker) noexcept {
  if (worker >= 0) {
    sleepers_.ring(static_cast<unsigned>(worker));
  } else {
    zero_.notify_all();
  }
}

void Executor::announce_zero() noexcept {
  // Begins with a fence [G2]: either this thread sees the helper, or the helper sees the zero.
  zero_.notify_all();
  if (waiting_.load(base::memory_order_relaxed) != 0) {
    sleepers_.ring(Sleepers::Kind::helping);
  }
}

}  // namespace fathom::rt

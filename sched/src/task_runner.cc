// TaskRunner: one pump per run, which executes tasks until none is ready.

#include <cstdint>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/detail/fork_check.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"
#include "fathom/sched/task_scheduler.h"

namespace fathom::sched {

namespace {

// How many consecutive dependent tasks a pump runs; and after how many such lines it begins with
// another channel than its own, so that no channel starves.
constexpr std::uint32_t kTasksAtOnce = 16;
constexpr unsigned kLinesInARow = 16;

}  // namespace

// The scheduler of a runner, and the pumps that it tells what became ready.
class TaskRunner::Pumps {
 public:
  Pumps(rt::Executor& executor, const TaskScheduler::Options& options, unsigned count);
  Pumps(const Pumps&) = delete;
  Pumps& operator=(const Pumps&) = delete;
  ~Pumps() {
    if (!fork_check_.in_child()) wait();
  }

  TaskScheduler& scheduler() noexcept { return scheduler_; }
  void wait();

 private:
  friend class Pump;

  static TaskScheduler::Options with_callback(TaskScheduler::Options options, Pumps& pumps);
  static void note_ready(void* pumps, unsigned channel, std::uint32_t count) noexcept;
  void start(unsigned channel, std::uint32_t count) noexcept;

  const rt::detail::ForkCheck fork_check_;
  const TaskScheduler::OnReady on_ready_;  // the caller's
  TaskScheduler scheduler_;
  std::vector<std::unique_ptr<Pump>> pumps_;
  alignas(base::kCacheLine) base::atomic<unsigned> idle_;  // idle pumps; a hint, except for [R1]
  rt::TaskGroup group_;                                    // the pumps that are not idle
};

// Runs ready tasks until none is left. A pump is idle, or owned by one thread or one queue.
class TaskRunner::Pump final : public rt::GroupTask {
 public:
  Pump(Pumps& pumps, unsigned channel) : pumps_(pumps), channel_(channel) {}

  // Returns whether the pump was idle, and the caller must submit it now.
  bool claim() noexcept {
    if (!idle_.load(base::memory_order_relaxed)) return false;
    // [R2] acquire: pairs with the release in run(), for the pump itself, which is submitted again.
    if (!idle_.exchange(false, base::memory_order_acquire)) return false;
    pumps_.idle_.fetch_sub(1, base::memory_order_relaxed);
    return true;
  }

  void run(unsigned /*worker*/) override {
    Pumps& pumps = pumps_;
    pump();
    pumps.idle_.fetch_add(1, base::memory_order_relaxed);
    idle_.store(true, base::memory_order_release);  // [R2]
    // [R1] pairs with the fence in start(): either this thread sees the task, or that thread sees
    // that the pump is idle.
    base::fence(base::memory_order_seq_cst);
    if (pumps.scheduler_.has_ready() && claim()) pumps.group_.submit(*this);
  }

 private:
  // Runs tasks until none is ready. Takes them one by one, so that as many run at once as there are
  // pumps.
  void pump() noexcept {
    TaskScheduler& scheduler = pumps_.scheduler_;
    for (unsigned line = 1;; ++line) {
      const bool others_turn = line % kLinesInARow == 0;
      const unsigned channel =
          others_turn ? line / kLinesInARow % scheduler.options().channels : channel_;
      if (scheduler.execute_line(channel, kTasksAtOnce) == 0) return;
    }
  }

  Pumps& pumps_;
  const unsigned channel_;
  alignas(base::kCacheLine) base::atomic<bool> idle_{true};
};

TaskScheduler::Options TaskRunner::Pumps::with_callback(TaskScheduler::Options options,
                                                        Pumps& pumps) {
  options.on_ready = {&note_ready, &pumps};
  return options;
}

TaskRunner::Pumps::Pumps(rt::Executor& executor, const TaskScheduler::Options& options,
                         unsigned count)
    : on_ready_(options.on_ready),
      scheduler_(with_callback(options, *this)),
      idle_(count),
      group_(executor) {
  for (unsigned i = 0; i < count; ++i) {
    pumps_.push_back(std::make_unique<Pump>(*this, i % options.channels));
  }
  // Ensures that there is a thread, so that later submissions cannot fail.
  pumps_.front()->claim();
  group_.submit(*pumps_.front());
}

void TaskRunner::Pumps::wait() {
  group_.wait();
  while (scheduler_.has_ready()) {
    fork_check_.refuse_child("this task runner");
    // A thread has pushed a task and not yet submitted a pump. It may be suspended: do it here. If
    // it has claimed the last idle pump, nothing helps but to let it run.
    start(0, 1);
    std::this_thread::yield();
    group_.wait();
  }
}

void TaskRunner::Pumps::note_ready(void* pumps, unsigned channel, std::uint32_t count) noexcept {
  auto& self = *static_cast<Pumps*>(pumps);
  self.start(channel, count);
  if (self.on_ready_.call != nullptr) self.on_ready_.call(self.on_ready_.context, channel, count);
}

// Called after `count` tasks of a channel became ready: starts as many idle pumps, beginning with
// those that prefer the channel.
void TaskRunner::Pumps::start(unsigned channel, std::uint32_t count) noexcept {
  base::fence(base::memory_order_seq_cst);  // [R1]
  if (idle_.load(base::memory_order_relaxed) == 0 || fork_check_.in_child()) return;
  for (std::size_t i = 0; i < pumps_.size() && count > 0; ++i) {
    Pump& pump = *pumps_[(channel + i) % pumps_.size()];
    if (!pump.claim()) continue;
    group_.submit(pump);
    --count;
  }
}

TaskRunner::TaskRunner(rt::Executor& executor, const TaskScheduler::Options& options, unsigned runs)
    : pumps_(
          std::make_unique<Pumps>(executor, options, runs != 0 ? runs : executor.max_threads())) {}

TaskRunner::~TaskRunner() = default;

TaskScheduler& TaskRunner::scheduler() noexcept {
  return pumps_->scheduler();
}

void TaskRunner::wait() {
  pumps_->wait();
}

}  // namespace fathom::sched

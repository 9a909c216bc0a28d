// TaskRunner: one pump per run, which executes tasks until none is ready.

#include "fathom/sched/task_runner.h"

#include <thread>

namespace fathom::sched {

namespace {

// How many consecutive dependent tasks a pump runs; and after how many such lines it begins with
// another channel than its own, so that no channel starves.
constexpr std::uint32_t kTasksAtOnce = 16;
constexpr unsigned kLinesInARow = 16;

}  // namespace

// Runs ready tasks until none is left. A pump is idle, or owned by one thread or one queue.
class TaskRunner::Pump final : public rt::GroupTask {
 public:
  Pump(TaskRunner& runner, unsigned channel) : runner_(runner), channel_(channel) {}

  // Returns whether the pump was idle, and the caller must submit it now.
  bool claim() noexcept {
    if (!idle_.load(base::memory_order_relaxed)) return false;
    // [R2] acquire: pairs with the release in run(), for the pump itself, which is submitted again.
    if (!idle_.exchange(false, base::memory_order_acquire)) return false;
    runner_.idle_.fetch_sub(1, base::memory_order_relaxed);
    return true;
  }

  void run(unsigned /*worker*/) override {
    TaskRunner& runner = runner_;
    pump();
    runner.idle_.fetch_add(1, base::memory_order_relaxed);
    idle_.store(true, base::memory_order_release);  // [R2]
    // [R1] pairs with the fence in start(): either this thread sees the task, or that thread sees
    // that the pump is idle.
    base::fence(base::memory_order_seq_cst);
    if (runner.scheduler_.has_ready() && claim()) runner.group_.submit(*this);
  }

 private:
  // Runs tasks until none is ready. Takes them one by one, so that as many run at once as there are
  // pumps.
  void pump() noexcept {
    TaskScheduler& scheduler = runner_.scheduler_;
    for (unsigned line = 1;; ++line) {
      const bool others_turn = line % kLinesInARow == 0;
      const unsigned channel =
          others_turn ? line / kLinesInARow % scheduler.options().channels : channel_;
      if (scheduler.execute_line(channel, kTasksAtOnce) == 0) return;
    }
  }

  TaskRunner& runner_;
  const unsigned channel_;
  alignas(base::kCacheLine) base::atomic<bool> idle_{true};
};

TaskScheduler::Options TaskRunner::with_callback(TaskScheduler::Options options,
                                                 TaskRunner& runner) {
  options.on_ready = {&note_ready, &runner};
  return options;
}

TaskRunner::TaskRunner(rt::Executor& executor, const TaskScheduler::Options& options, unsigned runs)
    : on_ready_(options.on_ready),
      scheduler_(with_callback(options, *this)),
      idle_(runs != 0 ? runs : executor.max_threads()),
      group_(executor) {
  const unsigned pumps = idle_.load(base::memory_order_relaxed);
  for (unsigned i = 0; i < pumps; ++i) {
    pumps_.push_back(std::make_unique<Pump>(*this, i % options.channels));
  }
  // Ensures that there is a thread, so that later submissions cannot fail.
  pumps_.front()->claim();
  group_.submit(*pumps_.front());
}

TaskRunner::~TaskRunner() {
  wait();
}

void TaskRunner::wait() {
  group_.wait();
  while (scheduler_.has_ready()) {
    // A thread has pushed a task and not yet submitted a pump. It may be suspended: do it here. If
    // it has claimed the last idle pump, nothing helps but to let it run.
    start(0, 1);
    std::this_thread::yield();
    group_.wait();
  }
}

void TaskRunner::note_ready(void* runner, unsigned channel, std::uint32_t count) noexcept {
  auto& self = *static_cast<TaskRunner*>(runner);
  self.start(channel, count);
  if (self.on_ready_.call != nullptr) self.on_ready_.call(self.on_ready_.context, channel, count);
}

// Called after `count` tasks of a channel became ready: starts as many idle pumps, beginning with
// those that prefer the channel.
void TaskRunner::start(unsigned channel, std::uint32_t count) noexcept {
  base::fence(base::memory_order_seq_cst);  // [R1]
  if (idle_.load(base::memory_order_relaxed) == 0) return;
  for (std::size_t i = 0; i < pumps_.size() && count > 0; ++i) {
    Pump& pump = *pumps_[(channel + i) % pumps_.size()];
    if (!pump.claim()) continue;
    group_.submit(pump);
    --count;
  }
}

}  // namespace fathom::sched

// The tests A to E of the article on Bikeshed, and the same from one thread to another.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/sched/task_scheduler.h"
#include "rt/mutex_pool.h"
#include "sched/production.h"
#include "sched/questions.h"

namespace fathom::bench {

namespace {

using Handle = sched::TaskScheduler::Handle;
using Outcome = sched::TaskScheduler::Outcome;
using Spec = sched::TaskScheduler::Spec;
using Status = sched::TaskScheduler::Status;

constexpr std::uint32_t kRoom = 1U << 16U;

struct Form {
  unsigned channels = 4;
  bool aligned_channels = true;
  bool pauses = true;
  std::uint32_t batch = 1;  // created together, and made ready together
  std::uint32_t most = 1;   // taken together
  std::uint32_t room = kRoom;
  bool spawns = false;  // creates tasks and makes them ready in one call
};

// As in the article, each producer has a channel, and each consumer prefers one. A thread that
// finds no room or no work yields: there are more threads than processors.
class Scheduler {
 public:
  Scheduler(const Plan& plan, Tally& tally, const Form& form)
      : plan_(plan),
        tally_(tally),
        form_(form),
        scheduler_({.tasks = form.room,
                    .channels = form.channels,
                    .aligned_channels = form.aligned_channels,
                    .pauses = form.pauses}) {}

  void produce(unsigned number) {
    std::array<Spec, kBatch> specs;
    specs.fill({&add_one, &tally_, number % form_.channels});
    std::array<Handle, kBatch> handles;
    const auto together = std::span<const Spec>(specs).first(form_.batch);
    const auto tasks = std::span<Handle>(handles).first(form_.batch);
    for (std::uint64_t made = 0; made < plan_.tasks_each; made += form_.batch) {
      if (form_.spawns) {
        while (scheduler_.spawn(together) != Status::ok) std::this_thread::yield();
        continue;
      }
      while (scheduler_.create(together, tasks) != Status::ok) std::this_thread::yield();
      scheduler_.ready(tasks);
    }
  }

  void consume(unsigned number) {
    const unsigned channel = number % form_.channels;
    for (;;) {
      if (scheduler_.execute(channel, form_.most) != 0) continue;
      if (tally_.count() >= plan_.tasks()) return;
      std::this_thread::yield();
    }
  }

  void finish() {}

 private:
  static Outcome add_one(sched::TaskScheduler& /*scheduler*/, Handle /*task*/,
                         void* context) noexcept {
    static_cast<Tally*>(context)->add_one();
    return Outcome::done;
  }

  const Plan plan_;
  Tally& tally_;
  const Form form_;
  sched::TaskScheduler scheduler_;
};

// What a scheduler with this work cannot do without, and nothing else. A producer writes each task
// into a line of its own and then publishes them, one by one or in batches; a consumer claims them
// one by one by one atomic operation, reads the line, and adds to the counter. There is room for
// all tasks, and nothing returns it; no dependencies, no handles, no order among the threads.
class Floor {
 public:
  Floor(const Plan& plan, Tally& tally, const Form& form)
      : plan_(plan), tally_(tally), form_(form), lanes_(plan.producers) {
    for (Lane& lane : lanes_) lane.tasks = std::vector<Task>(plan.tasks_each);
  }

  void produce(unsigned number) {
    Lane& lane = lanes_[number];
    for (std::uint64_t made = 0; made < plan_.tasks_each;) {
      for (std::uint32_t i = 0; i < form_.batch; ++i) lane.tasks[made++] = {&add_one, &tally_};
      // [B6] release: pairs with the acquire in consume(), for the tasks.
      lane.published.store(made, base::memory_order_release);
    }
  }

  void consume(unsigned number) {
    for (;;) {
      if (run_one(number)) continue;
      if (tally_.count() >= plan_.tasks()) return;
      std::this_thread::yield();
    }
  }

  void finish() {}

 private:
  struct Task {
    void (*body)(Tally*) = nullptr;
    Tally* context = nullptr;
  };
  struct Lane {
    alignas(base::kCacheLine) base::atomic<std::uint64_t> published{0};
    alignas(base::kCacheLine) base::atomic<std::uint64_t> claimed{0};
    std::vector<Task> tasks;
  };

  static void add_one(Tally* tally) { tally->add_one(); }

  bool run_one(unsigned number) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[(number + i) % lanes_.size()];
      std::uint64_t next = lane.claimed.load(base::memory_order_relaxed);
      while (next < lane.published.load(base::memory_order_acquire)) {  // [B6]
        if (!lane.claimed.compare_exchange_weak(next, next + 1, base::memory_order_relaxed)) {
          continue;
        }
        const Task& task = lane.tasks[next];
        task.body(task.context);
        return true;
      }
    }
    return false;
  }

  const Plan plan_;
  Tally& tally_;
  const Form form_;
  std::vector<Lane> lanes_;
};

// Unbounded: its producers never wait, but need memory.
class Pool {
 public:
  Pool(const Plan& plan, Tally& tally) : plan_(plan), tally_(tally), pool_(plan.consumers) {}

  void produce(unsigned /*number*/) {
    for (std::uint64_t made = 0; made < plan_.tasks_each; ++made) {
      pool_.submit([this] { tally_.add_one(); });
    }
  }
  void finish() { pool_.wait(); }

 private:
  const Plan plan_;
  Tally& tally_;
  MutexPool pool_;
};

}  // namespace

void add_seed() {
  const auto add_form = [](const std::string& name, const Form& form) {
    add_production<Scheduler>("sched/seed/fathom_" + name, kSeedPlan, form);
  };
  add_form("A", {.channels = 1, .aligned_channels = false, .pauses = false});
  add_form("B", {.aligned_channels = false, .pauses = false});
  add_form("C", {.pauses = false});
  add_form("D", {});
  add_form("E", {.batch = kBatch});
  add_form("D_spawn", {.spawns = true});
  add_form("E_spawn", {.batch = kBatch, .spawns = true});
  add_form("E_batch_run", {.batch = kBatch, .most = kBatch});
  add_form("E_room_4096", {.batch = kBatch, .room = 4096});
  add_form("E_batch_run_room_4096", {.batch = kBatch, .most = kBatch, .room = 4096});
  add_production<Floor>("sched/seed/floor_D", kSeedPlan, Form{});
  add_production<Floor>("sched/seed/floor_E", kSeedPlan, Form{.batch = kBatch});
  add_production<Pool>("sched/seed/mutex_pool", kSeedPlan);

  const Form pair{.channels = 1};
  Form pair_batches = pair;
  pair_batches.batch = pair_batches.most = kBatch;
  add_production<Scheduler>("sched/1P1C/items/fathom", kPairPlan, pair);
  Form pair_spawns = pair;
  pair_spawns.spawns = true;
  add_production<Scheduler>("sched/1P1C/items/fathom_spawn", kPairPlan, pair_spawns);
  add_production<Scheduler>("sched/1P1C/batch16/fathom", kPairPlan, pair_batches);
  add_production<Pool>("sched/1P1C/items/mutex_pool", kPairPlan);
}

}  // namespace fathom::bench

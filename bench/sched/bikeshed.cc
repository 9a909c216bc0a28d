// bench_bikeshed: Bikeshed in its article's tests, as bench_sched measures ours. Built if
// FATHOM_BIKESHED_INCLUDE is set.

#define BIKESHED_IMPLEMENTATION
#define BIKESHED_L1CACHE_SIZE 64
#include <benchmark/benchmark.h>
#include <bikeshed.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "rt/suite.h"
#include "sched/production.h"

namespace fathom::bench {

namespace {

struct BikeshedForm {
  unsigned channels = 4;
  std::uint32_t batch = 1;  // created together, and made ready together
  // A thread that finds no work yields, as in our own tests; in its examples it tries again.
  bool yields = false;
};

// As its examples do it: there is room for all tasks, so producers do not wait.
class Shed {
 public:
  Shed(const Plan& plan, Tally& tally, const BikeshedForm& form)
      : plan_(plan),
        tally_(tally),
        form_(form),
        memory_(BIKESHED_SIZE(room(plan), 0, form.channels) / sizeof(Line) + 1),
        shed_(Bikeshed_Create(memory_.data(), room(plan), 0,
                              static_cast<std::uint8_t>(form.channels), nullptr)) {}

  void produce(unsigned number) {
    std::array<BikeShed_TaskFunc, kBatch> functions;
    functions.fill(&add_one);
    std::array<void*, kBatch> contexts;
    contexts.fill(&tally_);
    std::array<Bikeshed_TaskID, kBatch> tasks;
    const auto channel = static_cast<std::uint8_t>(number % form_.channels);
    for (std::uint64_t made = 0; made < plan_.tasks_each; made += form_.batch) {
      while (Bikeshed_CreateTasks(shed_, form_.batch, functions.data(), contexts.data(),
                                  tasks.data()) == 0) {
        std::this_thread::yield();
      }
      Bikeshed_SetTasksChannel(shed_, form_.batch, tasks.data(), channel);
      Bikeshed_ReadyTasks(shed_, form_.batch, tasks.data());
    }
  }

  void consume(unsigned number) {
    for (;;) {
      if (execute_one(number)) continue;
      if (tally_.count() >= plan_.tasks()) return;
      if (form_.yields) std::this_thread::yield();
    }
  }

  void finish() {}

 private:
  static std::uint32_t room(const Plan& plan) { return static_cast<std::uint32_t>(plan.tasks()); }

  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };

  static Bikeshed_TaskResult add_one(Bikeshed /*shed*/, Bikeshed_TaskID /*task*/,
                                     std::uint8_t /*channel*/, void* context) {
    static_cast<Tally*>(context)->add_one();
    return BIKESHED_TASK_RESULT_COMPLETE;
  }

  // From the channel of that number, or the next one that has a task.
  bool execute_one(unsigned number) {
    for (unsigned i = 0; i < form_.channels; ++i) {
      const auto channel = static_cast<std::uint8_t>((number + i) % form_.channels);
      if (Bikeshed_ExecuteOne(shed_, channel) != 0) return true;
    }
    return false;
  }

  const Plan plan_;
  Tally& tally_;
  const BikeshedForm form_;
  std::vector<Line> memory_;
  const Bikeshed shed_;
};

void add_bikeshed() {
  add_production<Shed>("sched/seed/bikeshed_A", kSeedPlan, BikeshedForm{.channels = 1});
  add_production<Shed>("sched/seed/bikeshed_D", kSeedPlan, BikeshedForm{});
  add_production<Shed>("sched/seed/bikeshed_E", kSeedPlan, BikeshedForm{.batch = kBatch});
  add_production<Shed>("sched/seed/bikeshed_D_yields", kSeedPlan, BikeshedForm{.yields = true});
  add_production<Shed>("sched/seed/bikeshed_E_yields", kSeedPlan,
                       BikeshedForm{.batch = kBatch, .yields = true});
}

}  // namespace

}  // namespace fathom::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  fathom::bench::add_bikeshed();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return fathom::bench::all_right() ? 0 : 1;
}

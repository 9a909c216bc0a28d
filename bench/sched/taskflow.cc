// Taskflow's executor, flat, and its graphs. Built if FATHOM_TASKFLOW_INCLUDE is set.

#include <taskflow/taskflow.hpp>

#include <vector>

#include "sched/production.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

class Flat {
 public:
  Flat(const Plan& plan, Tally& tally) : plan_(plan), tally_(tally), executor_(plan.consumers) {}

  void produce(unsigned /*number*/) {
    for (std::uint64_t made = 0; made < plan_.tasks_each; ++made) {
      executor_.silent_async([this] { tally_.add_one(); });
    }
  }
  void finish() { executor_.wait_for_all(); }

 private:
  const Plan plan_;
  Tally& tally_;
  tf::Executor executor_;
};

// Built once. The calling thread sleeps while the executor's threads run it.
class Static {
 public:
  Static(const Graph& graph, Visits& visits) {
    std::vector<tf::Task> tasks;
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
      tasks.push_back(flow_.emplace([&visits, task] { visits.visit(task); }));
      for (const std::uint32_t before : graph.before(task)) tasks[before].precede(tasks[task]);
    }
  }
  void run() { executor_.run(flow_).wait(); }

 private:
  tf::Taskflow flow_;
  tf::Executor executor_{kThreads};
};

}  // namespace

void add_taskflow() {
  add_production<Flat>("sched/seed/taskflow_silent_async", kSeedPlan);
  add_production<Flat>("sched/1P1C/items/taskflow_silent_async", kPairPlan);
  add_traversal<Static>("taskflow");
}

}  // namespace fathom::bench

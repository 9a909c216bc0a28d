// enkiTS: its tasks, flat, and with dependencies. Built if FATHOM_ENKITS_INCLUDE is set.

#include <TaskScheduler.h>

#include <deque>
#include <vector>

#include "sched/production.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

// The user owns the memory of tasks: each is created in advance.
class Flat {
 public:
  Flat(const Plan& plan, Tally& tally) : plan_(plan) {
    for (std::uint64_t i = 0; i < plan.tasks(); ++i) tasks_.emplace_back(tally);
    enki::TaskSchedulerConfig config;
    config.numTaskThreadsToCreate = plan.consumers;
    config.numExternalTaskThreads = plan.producers;
    scheduler_.Initialize(config);
  }

  void produce(unsigned number) {
    scheduler_.RegisterExternalTaskThread();
    for (std::uint64_t i = 0; i < plan_.tasks_each; ++i) {
      scheduler_.AddTaskSetToPipe(&tasks_[number * plan_.tasks_each + i]);
    }
    scheduler_.DeRegisterExternalTaskThread();
  }
  void finish() { scheduler_.WaitforAll(); }

 private:
  struct Add final : enki::ITaskSet {
    explicit Add(Tally& tally_in) : tally(tally_in) {}
    void ExecuteRange(enki::TaskSetPartition /*range*/, std::uint32_t /*thread*/) override {
      tally.add_one();
    }
    Tally& tally;
  };

  const Plan plan_;
  std::deque<Add> tasks_;
  enki::TaskScheduler scheduler_;  // destroyed first
};

// Built once. The calling thread takes part in running it. A task without predecessors is added for
// each run; one that waits for all ends it.
class Linked {
 public:
  Linked(const Graph& graph, Visits& visits) {
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
      Visit& visit = tasks_.emplace_back(visits, task);
      for (const std::uint32_t before : graph.before(task)) link(visit, tasks_[before]);
      if (graph.before(task).empty()) sources_.push_back(&visit);
    }
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
      if (graph.after(task).empty()) link(end_, tasks_[task]);
    }
    scheduler_.Initialize(kThreads);
  }
  void run() {
    for (Visit* const source : sources_) scheduler_.AddTaskSetToPipe(source);
    scheduler_.WaitforTask(&end_);
  }

 private:
  struct End : enki::ITaskSet {
    void ExecuteRange(enki::TaskSetPartition /*range*/, std::uint32_t /*thread*/) override {}
    std::deque<enki::Dependency> dependencies;
  };
  struct Visit final : End {
    Visit(Visits& visits_in, std::uint32_t task_in) : visits(visits_in), task(task_in) {}
    void ExecuteRange(enki::TaskSetPartition /*range*/, std::uint32_t /*thread*/) override {
      visits.visit(task);
    }
    Visits& visits;
    const std::uint32_t task;
  };
  static void link(End& after, const End& before) {
    after.SetDependency(after.dependencies.emplace_back(), &before);
  }

  std::deque<Visit> tasks_;
  End end_;
  std::vector<Visit*> sources_;
  enki::TaskScheduler scheduler_;  // destroyed first
};

}  // namespace

void add_enkits() {
  add_production<Flat>("sched/seed/enkits", kSeedPlan);
  add_production<Flat>("sched/1P1C/items/enkits", kPairPlan);
  add_traversal<Linked>("enkits");
}

}  // namespace fathom::bench

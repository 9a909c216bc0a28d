// oneTBB's task_group, flat and with a counter for each task of a graph; and its flow graph.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/concurrency.h"
#include "sched/production.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

// Its threads are the consumers; producers have separate slots in the arena, and run nothing.
class Flat {
 public:
  Flat(const Plan& plan, Tally& tally)
      : plan_(plan),
        tally_(tally),
        allowed_(tbb::global_control::max_allowed_parallelism, plan.consumers + 1),
        arena_(static_cast<int>(plan.producers + plan.consumers), plan.producers) {
    arena_.initialize();
  }

  void produce(unsigned /*number*/) {
    arena_.execute([this] {
      for (std::uint64_t made = 0; made < plan_.tasks_each; ++made) {
        group_.run([this] { tally_.add_one(); });
      }
    });
  }

  void finish() {
    arena_.execute([this] { group_.wait(); });
  }

 private:
  const Plan plan_;
  Tally& tally_;
  tbb::global_control allowed_;
  tbb::task_arena arena_;
  tbb::task_group group_;
};

// The calling thread is part of the arena.
class Arena {
 public:
  template <class F>
  void execute(const F& f) {
    arena_.execute(f);
  }

 private:
  tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, kThreads};
  tbb::task_arena arena_{static_cast<int>(kThreads)};
};

// A task spawns its dependents that wait for nothing else.
class Counters {
 public:
  Counters(const Graph& graph, Visits& visits)
      : graph_(graph), visits_(visits), pending_(graph.tasks()) {}

  void run() {
    arena_.execute([this] {
      for (std::uint32_t task = 0; task < graph_.tasks(); ++task) {
        pending_[task].store(graph_.before(task).size(), base::memory_order_relaxed);
      }
      tbb::task_group group;
      for (std::uint32_t task = 0; task < graph_.tasks(); ++task) {
        if (graph_.before(task).empty()) spawn(group, task);
      }
      group.wait();
    });
  }

 private:
  void spawn(tbb::task_group& group, std::uint32_t task) {
    group.run([this, &group, task] {
      visits_.visit(task);
      for (const std::uint32_t after : graph_.after(task)) {
        // [B5] acq_rel: each thread passes what it knows to the last one.
        if (pending_[after].fetch_sub(1, base::memory_order_acq_rel) == 1) spawn(group, after);
      }
    });
  }

  const Graph& graph_;
  Visits& visits_;
  std::vector<base::atomic<std::size_t>> pending_;
  Arena arena_;
};

// Built once: its nodes reset their counts by themselves.
class Flow {
 public:
  Flow(const Graph& graph, Visits& visits) {
    arena_.execute([&] {
      flow_.reset();  // belongs to this arena
      for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
        Node& node = nodes_.emplace_back(
            flow_, [&visits, task](const tbb::flow::continue_msg&) { visits.visit(task); });
        for (const std::uint32_t before : graph.before(task)) {
          tbb::flow::make_edge(nodes_[before], node);
        }
        if (graph.before(task).empty()) sources_.push_back(&node);
      }
    });
  }

  void run() {
    arena_.execute([this] {
      for (Node* const node : sources_) node->try_put({});
      flow_.wait_for_all();
    });
  }

 private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

  Arena arena_;
  tbb::flow::graph flow_;
  std::deque<Node> nodes_;
  std::vector<Node*> sources_;
};

}  // namespace

void add_tbb_tasks() {
  add_production<Flat>("sched/seed/tbb_task_group", kSeedPlan);
  add_production<Flat>("sched/seed/tbb_task_group_one_producer",
                       {1, kSeedPlan.consumers, kSeedPlan.tasks()});
  // As intended by oneTBB: no more threads than processors.
  const unsigned others = std::max(rt::default_concurrency(), 2U) - 1;
  add_production<Flat>("sched/seed/tbb_task_group_one_each", {1, others, kSeedPlan.tasks()});
  add_production<Flat>("sched/1P1C/items/tbb_task_group", kPairPlan);
  add_traversal<Counters>("tbb_counters");
  add_traversal<Flow>("tbb_flow");
}

}  // namespace fathom::bench

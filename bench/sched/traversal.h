// Traversal: two threads run a graph repeatedly.
//
//   add_traversal<Flow>("flow");
//
// A contender is constructed for a graph and its visits, and prepares what it can once. Each run
// runs the whole graph:
//
//   contender.run();      // visits all tasks in an order that respects the graph, then returns

#pragma once

#include <memory>
#include <string>

#include "rt/suite.h"
#include "sched/graph.h"

namespace fathom::bench {

inline constexpr unsigned kThreads = 2;

template <class Contender>
void measure_traversal(benchmark::State& state, const Graph& graph) {
  Visits visits(graph);
  Contender contender(graph, visits);
  visits.begin();
  contender.run();  // threads are started, memory has grown
  bool all_right = visits.all_right();
  for (auto _ : state) {
    visits.begin();
    contender.run();
    if (all_right = all_right && visits.all_right(); !all_right) break;
  }
  if (!all_right) fail(state, "a task did not run exactly once, after its dependencies");
  count_operations(state, graph.tasks());
}

template <class Contender>
void add_traversal(const std::string& contender) {
  const auto add_one = [&](const std::string& question, Graph graph) {
    add("sched/" + question + '/' + contender,
        [shared = std::make_shared<const Graph>(std::move(graph))](benchmark::State& state) {
          measure_traversal<Contender>(state, *shared);
        })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add_one("chain", Graph::chain(1000));
  add_one("wavefront", Graph::wavefront(64));
  add_one("random_dag", Graph::random(4096, 4));
}

}  // namespace fathom::bench

// Graph: generating edges, and checking visits.

#include "sched/graph.h"

#include <algorithm>
#include <random>

namespace fathom::bench {

Graph Graph::chain(std::uint32_t tasks) {
  Graph graph;
  graph.add_task({});
  for (std::uint32_t task = 1; task < tasks; ++task) {
    const std::uint32_t before = task - 1;
    graph.add_task({&before, 1});
  }
  graph.turn_round();
  return graph;
}

Graph Graph::wavefront(std::uint32_t side) {
  Graph graph;
  std::vector<std::uint32_t> before;
  for (std::uint32_t task = 0; task < side * side; ++task) {
    before.clear();
    if (task % side > 0) before.push_back(task - 1);
    if (task >= side) before.push_back(task - side);
    graph.add_task(before);
  }
  graph.turn_round();
  return graph;
}

Graph Graph::random(std::uint32_t tasks, std::uint32_t most) {
  Graph graph;
  std::mt19937 engine;  // default seed: the standard defines its output
  const auto below = [&engine](std::uint32_t end) {
    return static_cast<std::uint32_t>(engine() % end);
  };
  std::vector<std::uint32_t> before;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    before.clear();
    for (std::uint32_t count = task > 0 ? below(most + 1) : 0; count > 0; --count) {
      before.push_back(below(task));
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    graph.add_task(before);
  }
  graph.turn_round();
  return graph;
}

void Graph::add_task(std::span<const std::uint32_t> before) {
  waits_.ends.insert(waits_.ends.end(), before.begin(), before.end());
  waits_.begin.push_back(static_cast<std::uint32_t>(waits_.ends.size()));
}

void Graph::turn_round() {
  std::vector<std::vector<std::uint32_t>> after(tasks());
  for (std::uint32_t task = 0; task < tasks(); ++task) {
    for (const std::uint32_t one : before(task)) after[one].push_back(task);
  }
  for (const auto& ends : after) {
    wakes_.ends.insert(wakes_.ends.end(), ends.begin(), ends.end());
    wakes_.begin.push_back(static_cast<std::uint32_t>(wakes_.ends.size()));
  }
}

bool Visits::all_right() const {
  return std::all_of(last_.begin(), last_.end(),
                     [this](std::uint64_t round) { return round == round_; });
}

}  // namespace fathom::bench

// Spawning: tasks that spawn tasks: the total cost of one, from its creation to the end of all.
//
//   add_spawning<Group>("group");
//
// A contender is constructed for a number of threads, and used repeatedly:
//
//   contender.run(tree);      // returns when all tasks of the tree have run
//
// Its task for a part calls tree.visit(part, spawn), which calls spawn for each part below it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/rt/concurrency.h"
#include "rt/suite.h"

namespace fathom::bench {

// A binary tree of tasks that only count themselves, each in a separate place. The places below a
// task are adjacent, so that threads seldom write to the same line.
class TaskTree {
 public:
  static constexpr std::uint32_t kTasks = 1U << 16U;

  // A task and its subtree: so many places, of which the first is its own.
  struct Part {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  static constexpr Part kWhole{0, kTasks};

  TaskTree() : ran_(kTasks) {}

  // The task of a part.
  template <class Spawn>
  void visit(Part part, const Spawn& spawn) {
    ++ran_[part.first];
    const std::uint32_t left = (part.count - 1) / 2;
    const std::uint32_t right = part.count - 1 - left;
    if (left > 0) spawn(Part{part.first + 1, left});
    if (right > 0) spawn(Part{part.first + 1 + left, right});
  }

  bool each_ran(std::uint64_t times) const {
    return std::all_of(ran_.begin(), ran_.end(), [times](std::uint64_t n) { return n == times; });
  }

 private:
  std::vector<std::uint64_t> ran_;
};

template <class Contender>
void measure_spawning(benchmark::State& state) {
  Contender contender(rt::default_concurrency());
  TaskTree tree;
  contender.run(tree);  // threads are started, memory has grown
  std::uint64_t times = 1;
  for (auto _ : state) {
    contender.run(tree);
    ++times;
  }
  if (!tree.each_ran(times)) fail(state, "a task did not run as often as it was spawned");
  count_operations(state, TaskTree::kTasks);
}

template <class Contender>
void add_spawning(const std::string& contender) {
  add("rt/executor/spawn/" + contender, measure_spawning<Contender>)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace fathom::bench

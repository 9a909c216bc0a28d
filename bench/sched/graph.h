// Graph: tasks, numbered from 0, that depend on tasks with smaller numbers.
//
//   const Graph graph = Graph::wavefront(64);
//   for (const std::uint32_t before : graph.before(task)) { ... }

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::bench {

class Graph {
 public:
  static Graph chain(std::uint32_t tasks);     // each depends on the previous one
  static Graph wavefront(std::uint32_t side);  // of a square: depends on left and upper cells
  // Each depends on up to `most` others of all earlier ones. The same on every machine.
  static Graph random(std::uint32_t tasks, std::uint32_t most);

  std::uint32_t tasks() const { return static_cast<std::uint32_t>(waits_.begin.size()) - 1; }
  std::size_t edges() const { return waits_.ends.size(); }
  std::span<const std::uint32_t> before(std::uint32_t task) const { return waits_.of(task); }
  std::span<const std::uint32_t> after(std::uint32_t task) const { return wakes_.of(task); }

 private:
  // The neighbours of task i are ends[begin[i]] to ends[begin[i + 1]].
  struct Edges {
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint32_t> ends;

    std::span<const std::uint32_t> of(std::uint32_t task) const {
      return std::span(ends).subspan(begin[task], begin[task + 1] - begin[task]);
    }
  };

  void add_task(std::span<const std::uint32_t> before);
  void turn_round();  // call when all tasks are added

  Edges waits_;
  Edges wakes_;
};

// The work of a graph's tasks: each checks that its dependencies have run in this round, then
// records that it has. Nothing is atomic, so it relies on the scheduler like user code.
class Visits {
 public:
  explicit Visits(const Graph& graph) : graph_(graph), last_(graph.tasks()) {}

  void begin() { ++round_; }  // call before each run

  void visit(std::uint32_t task) noexcept {
    bool in_order = last_[task] + 1 == round_;
    for (const std::uint32_t before : graph_.before(task)) in_order &= last_[before] == round_;
    if (in_order) last_[task] = round_;
  }

  // After a run: whether each task ran once, after its dependencies. A task that did not never
  // counts correctly again.
  bool all_right() const;

 private:
  const Graph& graph_;
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> last_;  // the last round in which a task ran
};

}  // namespace fathom::bench

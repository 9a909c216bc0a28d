// Graph: tasks, numbered from 0, that wait for some of smaller numbers.
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
  static Graph chain(std::uint32_t tasks);     // each waits for the one before
  static Graph wavefront(std::uint32_t side);  // each cell of a square for those left and above
  // Each waits for up to `most` others of all before it. The same on each machine.
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
  void turn_round();  // when all tasks are there

  Edges waits_;
  Edges wakes_;
};

// What the tasks of a graph do: each looks whether those before it have run this time, then notes
// that it has. Nothing in here is atomic, so it relies on the scheduler as users do.
class Visits {
 public:
  explicit Visits(const Graph& graph) : graph_(graph), last_(graph.tasks()) {}

  void begin() { ++round_; }  // before each run

  void visit(std::uint32_t task) noexcept {
    bool in_order = last_[task] + 1 == round_;
    for (const std::uint32_t before : graph_.before(task)) in_order &= last_[before] == round_;
    if (in_order) last_[task] = round_;
  }

  // After a run: each task once, after all that it waits for. One that was not is never counted
  // again.
  bool all_right() const;

 private:
  const Graph& graph_;
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> last_;  // the round in which a task ran last
};

}  // namespace fathom::bench

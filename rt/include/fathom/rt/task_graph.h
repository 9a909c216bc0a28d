// TaskGraph: functions that wait for one another, run by an Executor as often as wanted.
//
// Guarantees: a run calls each function once, on a worker, after those that it waits for have
// returned, and sees what they did. Those that do not wait for each other run at the same time as
// far as there are workers. run() returns when all is over, and what the functions did is visible
// then. Running allocates nothing, but in the first run after a change, and where the executor's
// queues have to grow.
//
//   TaskGraph graph;
//   const auto load = graph.add("load", [&] { ... });
//   const auto parse = graph.add("parse", [&] { ... }).after(load);
//   graph.add("report", [&] { ... }).after(load, parse);
//   graph.run(executor);
//
// After an exception, or once the token of a run is cancelled, tasks that have not begun are
// skipped in this run; the next one runs them all.
//
// A graph is built by one thread at a time, and not while it runs. It may be run by any thread, by
// a task of another graph too: a worker that waits runs other tasks meanwhile, and executor.h says
// what that forbids. Two threads that run one graph have to take turns by themselves. The executor
// must outlive the run.

#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/join_count.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {

class TaskGraph {
  struct Node;

 public:
  // A task, as long as its graph lives. One that was not got from add() is none, and must not be
  // used.
  class Handle {
   public:
    Handle() = default;

    // Lets the task wait for the others as well. Saying so twice does no harm. Throws base::Error
    // if one of them is the task itself, is of another graph, or is none; if the graph runs; and
    // std::bad_alloc. Returns the task.
    template <std::same_as<Handle>... Others>
    Handle after(const Others&... others) const {
      (wait_for(others), ...);
      return *this;
    }
    Handle after(std::span<const Handle> others) const {
      for (const Handle& other : others) wait_for(other);
      return *this;
    }

   private:
    friend class TaskGraph;
    explicit Handle(Node& node) noexcept : node_(&node) {}
    void wait_for(const Handle& other) const;

    Node* node_ = nullptr;
  };

  TaskGraph() = default;
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;
  ~TaskGraph() = default;  // must not run

  // A task that calls the function, which may be one that can only be moved; what it returns is
  // dropped. Names are for people and need not differ. Throws base::Error if the graph runs.
  template <class F>
  Handle add(std::string_view name, F&& function) {
    return add_node(std::make_unique<Call<std::decay_t<F>>>(*this, std::forward<F>(function)),
                    name);
  }
  // The same, called "task 7" after its number, which counts from 0.
  template <class F>
  Handle add(F&& function) {
    return add({}, std::forward<F>(function));
  }

  // Runs all tasks and waits for them. Throws the first exception that one of them threw, after
  // those that had begun are over; others are dropped. Before anything runs it throws base::Error
  // if tasks wait for each other, and names them; if the graph runs already; and if the executor
  // has no thread and can start none.
  void run(Executor& executor) { static_cast<void>(run(executor, CancelToken())); }

  // The same until the token is cancelled: whether all tasks ran. A deadline of its source counts
  // once somebody calls expire().
  [[nodiscard]] bool run(Executor& executor, const CancelToken& token);

  // The names of tasks that wait for each other, each for the next and the last for the first,
  // which is the one that was added first; empty if there are none. Takes time in proportion to
  // the graph. run() asks by itself if the graph has changed.
  [[nodiscard]] std::vector<std::string> find_cycle() const;

  // Writes the graph for Graphviz: tasks and edges in the order in which they were added. As DOT
  // wants UTF-8, names ought to be that; control characters are shown as \x07.
  void dot(std::ostream& out) const;

 private:
  // Sees nothing of its function but call().
  struct Node : GroupTask {
    explicit Node(TaskGraph& owner) noexcept : graph(owner) {}
    virtual void call() = 0;
    void run(unsigned /*worker*/) final { graph.run_from(*this); }

    TaskGraph& graph;
    JoinCount unfinished;      // of those that it waits for
    std::vector<Node*> wakes;  // those that wait for it
    std::size_t number = 0;    // its place in nodes_
  };

  template <class F>
  struct Call final : Node {
    static_assert(std::invocable<F&>, "the function of a task takes nothing");

    template <class G>
    Call(TaskGraph& owner, G&& function_in) : Node(owner), function(std::forward<G>(function_in)) {}
    void call() override { static_cast<void>(function()); }

    F function;
  };

  // What all tasks wait for that wait for no other.
  struct Start final : Node {
    using Node::Node;
    void call() override {}
  };

  struct Run;
  class Busy;

  Handle add_node(std::unique_ptr<Node> node, std::string_view name);
  void add_edge(Node& before, Node& after);
  void require_rest() const;
  std::string name_of(const Node& node) const;

  void prepare();
  void lay_out();
  void run_from(Node& first);
  static Node* next_after(const Node& done, Run& run);

  std::vector<std::size_t> count_waits() const;
  std::vector<const Node*> cycle_among(const std::vector<std::size_t>& waits) const;

  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::string> names_;  // of nodes_; empty for those without
  Start start_{*this};              // wakes what lay_out() found
  bool changed_ = false;            // since the last lay_out()
  bool whole_ = true;               // each task's count is as it is before a run
  Run* run_ = nullptr;              // while it runs
  // [N2] Held by the run: acquired as it begins, released as it ends.
  base::atomic<bool> running_{false};
};

}  // namespace fathom::rt

// TaskGraph: functions with dependencies, which an Executor runs any number of times.
//
// Guarantees: a run calls each function once, on a worker, after the functions that it depends on
// have returned, and sees their effects. Independent functions run at the same time if there are
// enough workers. run() returns when everything has finished, and the effects of the functions are
// then visible. A run allocates nothing, except the first one after a change, and where the
// executor's queues have to grow.
//
//   TaskGraph graph;
//   const auto load = graph.add("load", [&] { ... });
//   const auto parse = graph.add("parse", [&] { ... }).after(load);
//   graph.add("report", [&] { ... }).after(load, parse);
//   graph.run(executor);
//
// After an exception, or once the token of a run is cancelled, tasks that have not begun are
// skipped in this run; the next run runs all of them.
//
// One thread at a time builds a graph, and not while it runs. Any thread may run it, including a
// task of another graph: a worker that waits runs other tasks meanwhile, and executor.h says what
// that forbids. Two threads must not run the same graph at the same time. The executor must outlive
// the run.

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
#include "fathom/rt/detail/join_count.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {

class TaskGraph {
  struct Node;

 public:
  // A task; valid as long as its graph. A default constructed handle refers to no task and must not
  // be used.
  class Handle {
   public:
    Handle() = default;

    // Adds dependencies: the task waits for the others as well. Repeating one has no effect. Throws
    // base::Error if one of them is the task itself, belongs to another graph or refers to no task,
    // or if the graph is running; and std::bad_alloc. Returns the handle of the task.
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
  ~TaskGraph() = default;  // must not be running

  // Adds a task that calls the function, which may be move-only; its result is ignored. Names
  // appear in messages and drawings, and need not be unique. Throws base::Error if the graph is
  // running.
  template <class F>
  Handle add(std::string_view name, F&& function) {
    return add_node(std::make_unique<Call<std::decay_t<F>>>(*this, std::forward<F>(function)),
                    name);
  }
  // The same, with the name "task 7", after its number, which counts from 0.
  template <class F>
  Handle add(F&& function) {
    return add({}, std::forward<F>(function));
  }

  // Runs all tasks and waits for them. Rethrows the first exception of a task after all tasks that
  // had begun are over; others are dropped. Throws base::Error before any task runs if dependencies
  // form a cycle (the message names the tasks), if the graph is already running, and if the
  // executor has no thread and can start none.
  void run(Executor& executor) { static_cast<void>(run(executor, CancelToken())); }

  // The same until the token is cancelled, or reaches its deadline; returns whether all tasks ran.
  [[nodiscard]] bool run(Executor& executor, const CancelToken& token);

  // The names of the tasks of a cycle, each depending on the next and the last on the first,
  // beginning with the task that was added first; empty if there is no cycle. Takes time linear in
  // the size of the graph. run() calls it if the graph has changed.
  [[nodiscard]] std::vector<std::string> find_cycle() const;

  // Writes the graph in Graphviz's DOT: tasks and edges in the order in which they were added. DOT
  // requires UTF-8, so names should be UTF-8; control characters are written as \x07.
  void dot(std::ostream& out) const;

 private:
  // The part of a task that does not depend on the type of its function.
  struct Node : GroupTask {
    explicit Node(TaskGraph& owner) noexcept : graph(owner) {}
    virtual void call() = 0;
    void run(unsigned /*worker*/) final { graph.run_from(*this); }

    TaskGraph& graph;
    detail::JoinCount unfinished;  // dependencies that have not finished
    std::vector<Node*> wakes;      // the tasks that depend on it
    std::size_t number = 0;        // its index in nodes_
  };

  template <class F>
  struct Call final : Node {
    static_assert(std::invocable<F&>, "the function of a task must not take arguments");

    template <class G>
    Call(TaskGraph& owner, G&& function_in) : Node(owner), function(std::forward<G>(function_in)) {}
    void call() override { static_cast<void>(function()); }

    F function;
  };

  // A virtual first task, on which all tasks without dependencies depend.
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
  std::vector<std::string> names_;  // of nodes_; empty if unnamed
  Start start_{*this};              // its dependents are set by lay_out()
  bool changed_ = false;            // since the last lay_out()
  bool whole_ = true;               // the counts of all tasks are in their initial state
  Run* run_ = nullptr;              // while it runs
  // [N2] Acquired when a run begins, released when it ends.
  base::atomic<bool> running_{false};
};

}  // namespace fathom::rt

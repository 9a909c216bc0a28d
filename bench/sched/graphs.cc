// Graphs of tasks, on Fathom's scheduler, on its TaskGraph and on a naive one.

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_graph.h"
#include "fathom/sched/task_scheduler.h"
#include "rt/backoff.h"
#include "sched/crew.h"
#include "sched/graph.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

using Handle = sched::TaskScheduler::Handle;
using Outcome = sched::TaskScheduler::Outcome;
using Spec = sched::TaskScheduler::Spec;
using Status = sched::TaskScheduler::Status;

constexpr std::uint32_t kTasksInALine = 16;  // like a TaskRunner

// A graph as tasks of a scheduler, and threads that run it.
class OnScheduler {
 public:
  OnScheduler(const Graph& graph, Visits& visits)
      : graph_(graph), jobs_(graph.tasks()), handles_(graph.tasks()), crew_(kThreads) {
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
      jobs_[task] = {&visits, task};
      specs_.push_back({&visit, &jobs_[task]});
    }
  }

 protected:
  sched::TaskScheduler::Options options() const {
    return {.tasks = graph_.tasks(), .dependencies = static_cast<std::uint32_t>(graph_.edges())};
  }

  // Creates all tasks, and makes those without dependencies ready.
  void build(sched::TaskScheduler& scheduler) {
    std::array<Handle, 8> on;
    bool made = scheduler.create(specs_, handles_) == Status::ok;
    sources_.clear();
    for (std::uint32_t task = 0; task < graph_.tasks(); ++task) {
      std::size_t count = 0;
      for (const std::uint32_t before : graph_.before(task)) on.at(count++) = handles_[before];
      if (count == 0) {
        sources_.push_back(handles_[task]);
      } else {
        made &=
            scheduler.add_dependencies(handles_[task], std::span(on).first(count)) == Status::ok;
      }
    }
    made &= static_cast<bool>(scheduler.ready(sources_));
    if (!made) throw std::logic_error("the scheduler has no room for the graph");
  }

  // Each thread counts what it ran, and reads the counts of the others only when it finds no work.
  void run_all(sched::TaskScheduler& scheduler) {
    for (Share& share : shares_) share.ran.store(0, base::memory_order_relaxed);
    crew_.run([&](unsigned number) {
      std::uint32_t ran = 0;
      Backoff backoff;
      for (;;) {
        if (const std::uint32_t more = scheduler.execute_line(0, kTasksInALine); more > 0) {
          shares_.at(number).ran.store(ran += more, base::memory_order_relaxed);
          backoff = {};
          continue;
        }
        std::uint32_t all = 0;
        for (const Share& share : shares_) all += share.ran.load(base::memory_order_relaxed);
        if (all == graph_.tasks()) return;
        backoff.miss();
      }
    });
  }

 private:
  struct Job {
    Visits* visits = nullptr;
    std::uint32_t task = 0;
  };
  struct alignas(base::kCacheLine) Share {
    base::atomic<std::uint32_t> ran{0};
  };

  static Outcome visit(sched::TaskScheduler& /*scheduler*/, Handle /*task*/,
                       void* context) noexcept {
    const Job& job = *static_cast<const Job*>(context);
    job.visits->visit(job.task);
    return Outcome::done;
  }

  const Graph& graph_;
  std::vector<Job> jobs_;
  std::vector<Spec> specs_;
  std::vector<Handle> handles_;
  std::vector<Handle> sources_;
  std::array<Share, kThreads> shares_;
  Crew crew_;
};

// Built for each run.
class Built : public OnScheduler {
 public:
  Built(const Graph& graph, Visits& visits) : OnScheduler(graph, visits), scheduler_(options()) {}

  void run() {
    build(scheduler_);
    run_all(scheduler_);
  }

 private:
  sched::TaskScheduler scheduler_;
};

// Built once, copied for each run.
class Copied : public OnScheduler {
 public:
  Copied(const Graph& graph, Visits& visits)
      : OnScheduler(graph, visits), whole_(options()), scheduler_(options()) {
    build(whole_);
  }

  void run() {
    if (scheduler_.copy_from(whole_) != Status::ok)
      throw std::logic_error("the graph is not at rest");
    run_all(scheduler_);
  }

 private:
  sched::TaskScheduler whole_;
  sched::TaskScheduler scheduler_;
};

// The ready tasks, and the number of dependencies of each task, under one lock.
class UnderLock {
 public:
  UnderLock(const Graph& graph, Visits& visits)
      : graph_(graph), visits_(visits), pending_(graph.tasks()), crew_(kThreads) {}

  void run() {
    left_ = graph_.tasks();
    for (std::uint32_t task = 0; task < graph_.tasks(); ++task) {
      pending_[task] = graph_.before(task).size();
      if (pending_[task] == 0) ready_.push_back(task);
    }
    crew_.run([this](unsigned /*number*/) { work(); });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    Backoff backoff;
    while (left_ > 0) {
      if (ready_.empty()) {
        lock.unlock();
        backoff.miss();
        lock.lock();
        continue;
      }
      backoff = {};
      const std::uint32_t task = ready_.front();
      ready_.pop_front();
      lock.unlock();
      visits_.visit(task);
      lock.lock();
      for (const std::uint32_t after : graph_.after(task)) {
        if (--pending_[after] == 0) ready_.push_back(after);
      }
      --left_;
    }
  }

  const Graph& graph_;
  Visits& visits_;
  std::mutex mutex_;
  std::deque<std::uint32_t> ready_;
  std::vector<std::size_t> pending_;
  std::uint32_t left_ = 0;
  Crew crew_;
};

// A TaskGraph, built once. The calling thread waits while the executor's threads run it.
class OnTaskGraph {
 public:
  OnTaskGraph(const Graph& graph, Visits& visits) {
    std::vector<rt::TaskGraph::Handle> tasks;
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
      tasks.push_back(tasks_.add([&visits, task] { visits.visit(task); }));
      for (const std::uint32_t before : graph.before(task)) tasks[task].after(tasks[before]);
    }
  }

  void run() { tasks_.run(executor_); }

 private:
  rt::TaskGraph tasks_;
  rt::Executor executor_{{.threads = kThreads}};
};

}  // namespace

void add_graphs() {
  add_traversal<Built>("fathom");
  add_traversal<Copied>("fathom_copied");
  add_traversal<OnTaskGraph>("fathom_task_graph");
  add_traversal<UnderLock>("mutex");
}

}  // namespace fathom::bench

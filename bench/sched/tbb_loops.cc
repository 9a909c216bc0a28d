// oneTBB's parallel loops and forks. The calling thread is part of the arena.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "sched/loops.h"
#include "sched/questions.h"
#include "sched/requests.h"

namespace fathom::bench {

namespace {

template <class Partitioner>
class Arena {
 public:
  Arena() { arena_.initialize(); }

  template <class F>
  void enter(const F& f) {
    arena_.execute(f);
  }
  template <class F, class G>
  void fork(const F& f, const G& g) {
    tbb::parallel_invoke(f, g);
  }
  template <class F>
  void loop(std::size_t size, const F& f) {
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, size, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            const std::size_t end = range.end();
            for (std::size_t i = range.begin(); i != end; ++i) f(i);
          },
          partitioner_);
    });
  }
  template <class F>
  void start(const F& f) {
    arena_.enqueue(group_.defer(f));
  }
  // Outside the arena: otherwise this thread would run the task itself, and wake nobody.
  void wait() { group_.wait(); }

 private:
  tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, kThreads};
  tbb::task_arena arena_{static_cast<int>(kThreads)};
  tbb::task_group group_;
  Partitioner partitioner_;  // affinity_partitioner adapts from loop to loop
};

// All threads of the arena are oneTBB's own.
class Requests {
 public:
  template <class F>
  void request(const F& f) {
    arena_.enqueue(group_.defer(f));
  }
  template <class F, class G>
  void fork(const F& f, const G& g) {
    tbb::parallel_invoke(f, g);
  }
  void finish() { group_.wait(); }

 private:
  tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, kThreads + 1};
  tbb::task_arena arena_{static_cast<int>(kThreads + 1), 1};
  tbb::task_group group_;
};

// A task_group for each fork, as in the fib example of oneTBB.
class Groups : public Arena<tbb::auto_partitioner> {
 public:
  template <class F, class G>
  void fork(const F& f, const G& g) {
    tbb::task_group group;
    group.run(f);
    group.run_and_wait(g);
  }
};

}  // namespace

void add_tbb_loops() {
  add_loops<Arena<tbb::simple_partitioner>>("tbb_grain_1");
  add_loops<Arena<tbb::auto_partitioner>>("tbb_auto");
  add_loops<Arena<tbb::affinity_partitioner>>("tbb_affinity");
  add_loops<Arena<tbb::static_partitioner>>("tbb_static");
  add("sched/fork_join_fib/tbb_task_group", &measure_fib<Groups>)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
  add_wake<Arena<tbb::auto_partitioner>>("tbb");
  add_requests<Requests>("tbb");
}

}  // namespace fathom::bench

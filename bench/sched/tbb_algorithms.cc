// oneTBB's parallel algorithms. The calling thread is part of the arena.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

#include "sched/algorithms.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

class Arena {
 public:
  Arena() { arena_.initialize(); }

  template <class F>
  void enter(const F& f) {
    arena_.execute(f);
  }
  template <class Iterator>
  void sort(Iterator first, Iterator last) {
    tbb::parallel_sort(first, last);
  }

 private:
  tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, kThreads};
  tbb::task_arena arena_{static_cast<int>(kThreads)};
};

}  // namespace

void add_tbb_algorithms() {
  add_sorts<Arena>("tbb");
}

}  // namespace fathom::bench

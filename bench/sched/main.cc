// bench_sched: the speed of the task scheduler, compared with naive versions and with the peers
// that are installed.
//
// Names are sched/CASE/CONTENDER. The first case is that of the article on Bikeshed, whose tests A
// to E are contenders of one run. A contender that loses a task, runs one twice, or runs one before
// its dependencies gets an error and no time. docs/BENCHMARKING.md says how to read the cases.

#include "rt/suite.h"
#include "sched/questions.h"

namespace {

void add_all() {
  fathom::bench::add_seed();
  fathom::bench::add_empty();
  fathom::bench::add_graphs();
  fathom::bench::add_own_loops();
  fathom::bench::add_own_algorithms();
#ifdef FATHOM_BENCH_TBB
  fathom::bench::add_tbb_tasks();
  fathom::bench::add_tbb_loops();
  fathom::bench::add_tbb_algorithms();
#endif
#ifdef FATHOM_BENCH_TASKFLOW
  fathom::bench::add_taskflow();
#endif
#ifdef FATHOM_BENCH_ENKITS
  fathom::bench::add_enkits();
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return fathom::bench::run_suite("bench_sched", argc, argv, add_all);
}

// bench_rt: the speed of the parts of the runtime, compared with naive versions and with the peers
// that are installed.
//
// Names are rt/SUBJECT/CASE/CONTENDER. The subjects are those of the Phanes articles (deque,
// thieves, counters), of the articles on memory orders and lock contention (spsc, locks), and of
// the Go benchmarks of hot loops (cancel, tick, loop). A contender that loses or invents items, or
// reorders them although it promises not to, gets an error and no time. docs/BENCHMARKING.md says
// how to read the cases.

#include "rt/suite.h"

namespace {

void add_all() {
  using namespace fathom::bench;
  add_deque();
  add_thieves();
  add_counters();
  add_queues();
  add_locks();
  add_mailboxes();
  add_executor();
#ifdef FATHOM_BENCH_BOOST
  add_boost();
#endif
#ifdef FATHOM_BENCH_ATOMIC_QUEUE
  add_atomic_queue();
#endif
#ifdef FATHOM_BENCH_MOODYCAMEL
  add_moodycamel();
#endif
#ifdef FATHOM_BENCH_READERWRITERQUEUE
  add_readerwriterqueue();
#endif
#ifdef FATHOM_BENCH_TBB
  add_tbb();
#endif
  add_cancel();
  add_tick();
  add_loop();
}

}  // namespace

int main(int argc, char** argv) {
  return fathom::bench::run_suite("bench_rt", argc, argv, add_all);
}

// bench_rt: the speed of the parts of the runtime, compared with naive versions and with the peers
// that are installed.
//
// Names are rt/SUBJECT/CASE/CONTENDER. The subjects are those of the Phanes articles (deque,
// thieves, counters), of the articles on memory orders and lock contention (spsc, locks), and of
// the Go benchmarks of hot loops (cancel, tick, loop). A contender that loses or invents items, or
// reorders them although it promises not to, gets an error and no time. docs/BENCHMARKING.md says
// how to read the cases.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <thread>

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

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_all();
  // glibc's mutexes avoid atomic operations until a process has had a second thread. Every program
  // that needs any of this has one.
  std::thread([] {}).join();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return fathom::bench::all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_rt: %s\n", error.what());
    return 1;
  }
}

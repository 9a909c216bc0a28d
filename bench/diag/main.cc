// bench_diag: the cost of diagnosis. Names are diag/SUBJECT/CASE/CONTENDER; a contender with an
// incorrect result gets an error and no time.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "diag/questions.h"
#include "rt/suite.h"

namespace {

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  fathom::bench::add_throws();
  fathom::bench::add_timeline();
  fathom::bench::add_mutexes();
  fathom::bench::add_stacks();
#ifdef FATHOM_BENCH_BOOST_STACKTRACE
  fathom::bench::add_boost_stacktrace();
#endif
  std::thread([] {}).join();  // libstdc++ avoids atomic operations before the first thread
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return fathom::bench::all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_diag: %s\n", error.what());
    return 1;
  }
}

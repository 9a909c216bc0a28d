// bench_net: the cost of timers (timers/timers.h). fathom-echo measures echo servers.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include "net/timers/timers.h"
#include "rt/suite.h"

namespace {

using namespace fathom::bench;

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_timers();
#ifdef FATHOM_BENCH_ASIO
  add_asio_timers();
#endif
#ifdef FATHOM_BENCH_LIBUV
  add_libuv_timers();
#endif
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_net: %s\n", error.what());
    return 1;
  }
}

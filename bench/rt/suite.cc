// Suite: registration and the list of failed cases.

#include "rt/suite.h"

#include <cstdio>
#include <exception>
#include <thread>

namespace fathom::bench {

namespace {

bool any_failed = false;

}  // namespace

void count_operations(benchmark::State& state, std::uint64_t in_one_iteration) {
  const auto operations =
      static_cast<double>(state.iterations()) * static_cast<double>(in_one_iteration);
  state.SetItemsProcessed(static_cast<std::int64_t>(operations));
  state.counters["per_op"] =
      benchmark::Counter(operations, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void fail(benchmark::State& state, const std::string& why) {
  any_failed = true;
  state.SkipWithError(why.c_str());
}

bool all_right() {
  return !any_failed;
}

int run_suite(const char* name, int argc, char** argv, void (*add_all)()) {
  try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    add_all();
    // glibc's mutexes, malloc() and libstdc++ avoid atomic operations until a process has had a
    // second thread. Every program that needs any of this has one.
    std::thread([] {}).join();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return all_right() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace fathom::bench

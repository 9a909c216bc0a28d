// bench_diag_memory: the cost of counting memory. A separate program, because its operators new
// count.
//
// diag/memory/block/CONTENDER is the time to allocate and free a block of 64 bytes. "malloc" is the
// floor; "not_counting" is a program that could count but does not. Counting cannot be stopped, so
// these come first, and fail if counting is already on. "counting" includes samples; "two_threads"
// is the same with two threads at the same time. diag/memory/scope is the time of a scope alone.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "fathom/diag/memory.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

constexpr std::size_t kSize = 64;
constexpr std::uint64_t kBlocks = 10'000;

void allocate() {
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    void* const block = ::operator new(kSize);
    benchmark::DoNotOptimize(block);
    ::operator delete(block);
  }
}

void measure_malloc(benchmark::State& state) {
  for (auto unused : state) {
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      void* const block = std::malloc(kSize);
      if (block == nullptr) return fail(state, "out of memory");
      benchmark::DoNotOptimize(block);
      std::free(block);
    }
  }
  count_operations(state, kBlocks);
}

void measure_not_counting(benchmark::State& state) {
  if (diag::counts_memory()) return state.SkipWithError("memory is already counted");
  for (auto unused : state) allocate();
  count_operations(state, kBlocks);
}

std::uint64_t allocated_blocks() {
  for (const diag::TagMemory& tag : diag::memory_report().tags) {
    if (tag.tag == "benchmark") return tag.allocated_blocks;
  }
  return 0;
}

void measure_counting(benchmark::State& state) {
  diag::count_memory();
  const std::uint64_t before = allocated_blocks();
  for (auto unused : state) {
    const diag::MemoryScope scope("benchmark");
    allocate();
  }
  if (allocated_blocks() < before + kBlocks) return fail(state, "blocks were not counted");
  count_operations(state, kBlocks);
}

void measure_scope(benchmark::State& state) {
  for (auto unused : state) {
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      const diag::MemoryScope scope("benchmark");
      benchmark::ClobberMemory();
    }
  }
  count_operations(state, kBlocks);
}

void add_all() {
  add("diag/memory/block/malloc", measure_malloc);
  add("diag/memory/block/not_counting", measure_not_counting);
  add("diag/memory/block/counting", measure_counting);
  add("diag/memory/block/counting_two_threads", measure_counting)->Threads(2)->UseRealTime();
  add("diag/memory/scope", measure_scope);
}

}  // namespace

}  // namespace fathom::bench

int main(int argc, char** argv) {
  return fathom::bench::run_suite("bench_diag_memory", argc, argv, fathom::bench::add_all);
}

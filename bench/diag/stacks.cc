// diag/stack: the cost of taking a thread's stack, without looking up names.

#include "fathom/base/stack.h"

#include <benchmark/benchmark.h>
#include <execinfo.h>

#include <cstddef>
#include <string>

#include "diag/calls.h"
#include "diag/questions.h"
#include "fathom/base/error_text.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

void count_ours(void* count) {
  const base::Stack stack = base::Stack::here();
  *static_cast<std::size_t*>(count) = stack.frames().size();
}

// glibc's backtrace(). As many frames as Fathom keeps, in memory allocated in advance.
void count_glibcs(void* count) {
  void* calls[base::Stack::kMaxFrames];
  const int found = ::backtrace(calls, static_cast<int>(base::Stack::kMaxFrames));
  benchmark::DoNotOptimize(calls);
  *static_cast<std::size_t*>(count) = static_cast<std::size_t>(found);
}

// Looks up the names and formats them, as for an error that a person reads.
void print(benchmark::State& state) {
  const base::Stack stack = base::Stack::here();
  for (auto _ : state) {
    const std::string text = base::stack_text(stack);
    if (text.empty()) return fail(state, "no text");
    benchmark::DoNotOptimize(text.data());
  }
  count_operations(state, 1);
}

}  // namespace

void add_stack(const std::string& contender, std::size_t most, void (*count_calls)(void* count)) {
  for (const int depth : kDepths) {
    add("diag/stack/depth:" + std::to_string(depth) + '/' + contender,
        [depth, most, count_calls](benchmark::State& state) {
          std::size_t count = 0;
          for (auto _ : state) {
            call_at_depth(depth, count_calls, &count);
            if (count < calls_at(depth, most)) return fail(state, "calls are missing");
          }
          count_operations(state, 1);
        });
  }
}

void add_stacks() {
  add_stack("fathom", base::Stack::kMaxFrames, count_ours);
  add_stack("glibc", base::Stack::kMaxFrames, count_glibcs);
  add("diag/stack/print/fathom", print);
}

}  // namespace fathom::bench

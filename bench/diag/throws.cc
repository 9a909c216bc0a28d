// diag/throw: the cost of an exception from its construction to its handler, with and without a
// trace. diag/check: the cost of a function that could throw but does not.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "diag/calls.h"
#include "diag/questions.h"
#include "fathom/base/error.h"
#include "fathom/base/throw.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

constexpr const char* kMessage = "cannot open x: No such file or directory";

void throw_plain(void*) {
  throw std::runtime_error(kMessage);
}
void throw_traced(void*) {
  FATHOM_THROW(std::runtime_error, kMessage);
}
void throw_error(void*) {
  throw base::Error(kMessage);
}

// Whether the caught exception is the one that was thrown, with or without a trace as expected.
bool is_right(const std::exception& error, bool has_trace) {
  const base::Trace* trace = base::trace_of(error);
  return std::string_view(error.what()) == kMessage &&
         (has_trace ? trace != nullptr && !trace->stack().frames().empty() : trace == nullptr);
}

// The exception is handled at the other end of the stack.
void add_throw(const std::string& contender, void (*function)(void*), bool has_trace) {
  for (const int depth : kDepths) {
    add("diag/throw/depth:" + std::to_string(depth) + '/' + contender,
        [depth, function, has_trace](benchmark::State& state) {
          for (auto _ : state) {
            try {
              call_at_depth(depth, function, nullptr);
              return fail(state, "nothing was thrown");
            } catch (const std::exception& error) {
              if (!is_right(error, has_trace)) return fail(state, "another error");
            }
          }
          count_operations(state, 1);
        });
  }
}

// Sum the positive numbers; some versions can throw for other numbers. Each is a separate function,
// so that the compiler has the same freedom with all.
__attribute__((noinline)) std::uint64_t sum_unchecked(const std::int64_t* from,
                                                      const std::int64_t* to) {
  std::uint64_t sum = 0;
  for (; from != to; ++from) sum += static_cast<std::uint64_t>(*from);
  return sum;
}

__attribute__((noinline)) std::uint64_t sum_plain(const std::int64_t* from,
                                                  const std::int64_t* to) {
  std::uint64_t sum = 0;
  for (; from != to; ++from) {
    if (*from < 0) throw std::runtime_error(kMessage);
    sum += static_cast<std::uint64_t>(*from);
  }
  return sum;
}

__attribute__((noinline)) std::uint64_t sum_traced(const std::int64_t* from,
                                                   const std::int64_t* to) {
  std::uint64_t sum = 0;
  for (; from != to; ++from) {
    if (*from < 0) FATHOM_THROW(std::runtime_error, kMessage);
    sum += static_cast<std::uint64_t>(*from);
  }
  return sum;
}

__attribute__((noinline)) std::uint64_t sum_error(const std::int64_t* from,
                                                  const std::int64_t* to) {
  std::uint64_t sum = 0;
  for (; from != to; ++from) {
    if (*from < 0) throw base::Error(kMessage);
    sum += static_cast<std::uint64_t>(*from);
  }
  return sum;
}

void add_check(const std::string& contender,
               std::uint64_t (*sum)(const std::int64_t*, const std::int64_t*)) {
  add("diag/check/" + contender, [sum](benchmark::State& state) {
    std::int64_t numbers[256];
    for (std::int64_t i = 0; i < 256; ++i) numbers[i] = i;
    for (auto _ : state) {
      benchmark::DoNotOptimize(numbers);
      if (sum(numbers, numbers + 256) != 255 * 128) return fail(state, "a wrong sum");
    }
    count_operations(state, 256);
  });
}

}  // namespace

void add_throws() {
  add_throw("plain", throw_plain, false);
  add_throw("traced", throw_traced, true);
  add_throw("error", throw_error, true);
  add_check("none", sum_unchecked);
  add_check("plain", sum_plain);
  add_check("traced", sum_traced);
  add_check("error", sum_error);
}

}  // namespace fathom::bench

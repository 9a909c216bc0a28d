// Benchmarks of the scheduler notice contenders that leave out some of the work.

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "sched/algorithms.h"
#include "sched/requests.h"

namespace fathom::bench {
namespace {

using std::chrono::hours;

// What the console says about a case that runs once.
template <class Case>
std::string told_about(const Case& one) {
  benchmark::ClearRegisteredBenchmarks();
  add("case", one)->Iterations(1)->UseManualTime();
  std::ostringstream told;
  benchmark::ConsoleReporter reporter(benchmark::ConsoleReporter::OO_None);
  reporter.SetOutputStream(&told);
  reporter.SetErrorStream(&told);
  benchmark::RunSpecifiedBenchmarks(&reporter, "case");
  return told.str();
}

bool has_error(const std::string& told) {
  return told.find("ERROR OCCURRED") != std::string::npos;
}

struct OneThread {
  template <class F>
  void enter(const F& f) {
    f();
  }
  template <class Packet, class Make, class Change, class Take>
  void pipeline(std::vector<Packet>& slots, const Make& make, const Change& change,
                const Take& take) {
    for (std::size_t i = 0; make(slots[i % slots.size()]); ++i) {
      change(slots[i % slots.size()]);
      take(slots[i % slots.size()]);
    }
  }
  template <class F>
  void request(const F& f) {
    f();
  }
  template <class F, class G>
  void fork(const F& f, const G& g) {
    f();
    g();
  }
  void finish() {}
};

struct WithoutTheParallelStage : OneThread {
  template <class Packet, class Make, class Change, class Take>
  void pipeline(std::vector<Packet>& slots, const Make& make, const Change& /*change*/,
                const Take& take) {
    OneThread::pipeline(
        slots, make, [](Packet&) {}, take);
  }
};

struct WithoutTheLeftHalf : OneThread {
  template <class F, class G>
  void fork(const F& /*f*/, const G& g) {
    g();
  }
};

TEST(Pipelines, AreWrongWithoutTheirParallelStage) {
  for (const std::uint32_t steps : {1U, 10'000U}) {
    const auto measured = [&](auto contender) {
      return told_about([&](benchmark::State& state) {
        measure_pipeline<decltype(contender)>(state, 100, steps);
      });
    };
    EXPECT_FALSE(has_error(measured(OneThread()))) << steps;
    EXPECT_TRUE(has_error(measured(WithoutTheParallelStage()))) << steps;
  }
}

TEST(Requests, EndTooEarlyWithoutTheirLongerHalf) {
  const Load nothing{"nothing", {}, {}, {}, {}};
  const Load long_left{"long_left", {}, hours(1), {}, {}};
  EXPECT_FALSE(has_error(
      told_about([&](benchmark::State& state) { measure_requests<OneThread>(state, nothing); })));
  EXPECT_TRUE(has_error(told_about(
      [&](benchmark::State& state) { measure_requests<WithoutTheLeftHalf>(state, long_left); })));
}

}  // namespace
}  // namespace fathom::bench

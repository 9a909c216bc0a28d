// Production: some threads create tasks as fast as they can, others run them.
//
//   add_production<Pool>("sched/seed/pool", {4, 4, 51'200});
//
// A task adds 1 to a shared counter, so that the cost measured is the scheduler's. A contender is
// constructed for a plan and the counter, and used once:
//
//   contender.produce(0);     // called by each producer: creates its tasks; waits only for room
//   contender.consume(0);     // called by each consumer: runs tasks until all have run
//   contender.finish();       // called after these; returns when all tasks have run
//
// A contender with its own threads uses as many as there would be consumers, and does not implement
// consume(). Threads are started before the clock; time is measured from the start line to the end
// of finish().

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "rt/start_line.h"
#include "rt/suite.h"

namespace fathom::bench {

inline constexpr std::uint32_t kBatch = 16;

struct Plan {
  unsigned producers = 1;
  unsigned consumers = 1;
  std::uint64_t tasks_each = 0;  // per producer, a multiple of kBatch

  std::uint64_t tasks() const { return tasks_each * producers; }
};

// The number of tasks that have run.
class Tally {
 public:
  void add_one() noexcept { count_.fetch_add(1, base::memory_order_relaxed); }
  std::uint64_t count() const noexcept { return count_.load(base::memory_order_relaxed); }

 private:
  alignas(base::kCacheLine) base::atomic<std::uint64_t> count_{0};
};

template <class Contender>
class Production {
 public:
  template <class... Arguments>
  explicit Production(const Plan& plan, const Arguments&... arguments)
      : plan_(plan),
        contender_(plan, tally_, arguments...),
        line_(plan.producers + consumers(plan)) {}

  // Call once. Returns the duration.
  std::chrono::duration<double> run() {
    std::vector<std::thread> threads;
    if constexpr (kConsumes) {
      for (unsigned i = 0; i < plan_.consumers; ++i) {
        threads.emplace_back([this, i] {
          line_.cross();
          contender_.consume(i);
        });
      }
    }
    for (unsigned i = 0; i < plan_.producers; ++i) {
      threads.emplace_back([this, i] {
        line_.cross();
        contender_.produce(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    contender_.finish();
    return base::monotonic_now() - line_.opened();
  }

  std::uint64_t ran() const { return tally_.count(); }

 private:
  static constexpr bool kConsumes = requires(Contender & contender) { contender.consume(0U); };

  static unsigned consumers(const Plan& plan) { return kConsumes ? plan.consumers : 0; }

  const Plan plan_;
  Tally tally_;
  Contender contender_;
  alignas(base::kCacheLine) StartLine line_;
};

template <class Contender, class... Arguments>
void add_production(const std::string& name, const Plan& plan, const Arguments&... arguments) {
  add(name,
      [plan, arguments...](benchmark::State& state) {
        for (auto _ : state) {
          Production<Contender> production(plan, arguments...);
          state.SetIterationTime(production.run().count());
          if (production.ran() == plan.tasks()) continue;
          fail(state, std::to_string(production.ran()) + " tasks ran, not " +
                          std::to_string(plan.tasks()));
          break;
        }
        count_operations(state, plan.tasks());
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

// The two shapes of all contenders: that of the article, and one to one.
inline constexpr Plan kSeedPlan{4, 4, 51'200};
inline constexpr Plan kPairPlan{1, 1, 204'800};

}  // namespace fathom::bench

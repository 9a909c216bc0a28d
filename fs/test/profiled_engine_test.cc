// The engines in a build with FATHOM_PROFILE_LOCKS: the same code, with profiled locks.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/make_engine.h"
#include "fathom/base/atomic.h"
#include "fathom/diag/lock_report.h"

namespace fathom::fs {
namespace {

// Spawns children, down to the last generation.
class Family : public Work {
 public:
  Family(WorkEngine& engine, unsigned generations, base::atomic<unsigned>& ran)
      : engine_(engine), generations_(generations), ran_(ran) {
    if (generations == 0) return;
    for (auto& child : children_) child = std::make_unique<Family>(engine, generations - 1, ran);
  }

  void run(unsigned worker) noexcept override {
    ran_.fetch_add(1, base::memory_order_relaxed);
    if (generations_ == 0) return;
    for (const auto& child : children_) engine_.spawn(*child, worker);
  }

 private:
  WorkEngine& engine_;
  const unsigned generations_;
  base::atomic<unsigned>& ran_;
  std::array<std::unique_ptr<Family>, 2> children_;
};

constexpr unsigned kGenerations = 9;
constexpr unsigned kWorks = (2U << kGenerations) - 1;

std::uint64_t acquisitions_of(const std::string& name) {
  const diag::LockReport report = diag::lock_report();
  const auto found = std::find_if(report.locks.begin(), report.locks.end(),
                                  [&](const diag::LockUsage& lock) { return lock.name == name; });
  return found == report.locks.end() ? 0 : found->acquisitions;
}

unsigned works_run_by(Engine kind) {
  const std::unique_ptr<WorkEngine> engine = make_engine(kind, 4, 4, nullptr);
  base::atomic<unsigned> ran{0};
  Family first(*engine, kGenerations, ran);
  engine->run({&first}, std::chrono::milliseconds(100), [] {});
  return ran.load(base::memory_order_relaxed);
}

TEST(ProfiledEngine, ThePoolLocksItsQueueThreeTimesForEachWorkItem) {
  const std::uint64_t before = acquisitions_of("pool: queue");
  EXPECT_EQ(works_run_by(Engine::pool), kWorks);
  // To spawn, to take and to finish an item; the first one was not spawned. A worker that slept
  // locks once more.
  EXPECT_GE(acquisitions_of("pool: queue") - before, 3 * kWorks - 1);
}

TEST(ProfiledEngine, StealingLocksADequeForEachWorkItem) {
  const std::uint64_t before = acquisitions_of("steal: a worker's deque");
  EXPECT_EQ(works_run_by(Engine::steal), kWorks);
  EXPECT_GE(acquisitions_of("steal: a worker's deque") - before, 2 * kWorks - 1);
}

TEST(ProfiledEngine, TheLockfreeEngineLocksNeither) {
  const std::uint64_t before =
      acquisitions_of("pool: queue") + acquisitions_of("steal: a worker's deque");
  EXPECT_EQ(works_run_by(Engine::lockfree), kWorks);
  EXPECT_EQ(acquisitions_of("pool: queue") + acquisitions_of("steal: a worker's deque"), before);
}

}  // namespace
}  // namespace fathom::fs

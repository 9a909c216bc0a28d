// The join count in all schedules of a few steps, and with planted bugs.

#include "fathom/rt/detail/join_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "model/data.h"
#include "model/expect.h"

namespace fathom::rt {
namespace {

using detail::JoinCount;
using model::Bugs;
using model::Data;
using model::expect_clean;
using model::explore;
using model::Scenario;

constexpr unsigned kMostThreads = 3;

struct Join {
  JoinCount count;
  std::array<Data<unsigned>, kMostThreads> parts;
  Data<unsigned> joined{0};          // rounds that had a last arrival, which saw all parts
  base::atomic<unsigned> opened{1};  // the round that may proceed

  void arrive(unsigned thread, unsigned threads, unsigned round) {
    parts.at(thread).set(round);
    if (!count.arrive()) return;
    const bool whole = std::all_of(parts.begin(), parts.begin() + threads,
                                   [round](const auto& part) { return part == round; });
    joined.set(joined + (whole ? 1 : 0));
    opened.store(round + 1, base::memory_order_release);
    opened.notify_all();
  }
  void wait_for(unsigned round) {
    for (;;) {
      const unsigned now = opened.load(base::memory_order_acquire);
      if (now == round) return;
      opened.wait(now, base::memory_order_relaxed);
    }
  }
};

// Threads write their parts and arrive, round after round; the last thread of each round reads all
// parts and begins the next round.
Scenario rounds(unsigned threads, unsigned many) {
  const auto join = std::make_shared<Join>();
  join->count.expect(threads);
  Scenario scenario;
  for (unsigned thread = 0; thread < threads; ++thread) {
    scenario.threads.emplace_back([join, thread, threads, many] {
      for (unsigned round = 1; round <= many; ++round) {
        join->wait_for(round);
        join->arrive(thread, threads, round);
      }
    });
  }
  scenario.check = [join, many] { return join->joined == many; };
  return scenario;
}

// A round follows one that was abandoned after some arrivals, as after a task that threw.
Scenario given_up() {
  const auto join = std::make_shared<Join>();
  join->count.expect(kMostThreads);
  join->count.arrive();
  join->count.reset();
  Scenario scenario;
  for (unsigned thread = 0; thread < kMostThreads; ++thread) {
    scenario.threads.emplace_back([join, thread] { join->arrive(thread, kMostThreads, 1); });
  }
  scenario.check = [join] { return join->joined == 1; };
  return scenario;
}

TEST(ModelJoinCount, TheLastArrivalIsReportedAndSeesTheEffectsOfTheOthers) {
  expect_clean(explore([] { return rounds(3, 1); }, 5));
}

TEST(ModelJoinCount, ResetsWithEachRound) {
  expect_clean(explore([] { return rounds(2, 3); }, 3));
  expect_clean(explore([] { return rounds(3, 2); }, 3));
}

TEST(ModelJoinCount, ForgetsAnAbandonedRound) {
  expect_clean(explore(given_up, 4));
}

TEST(ModelJoinCount, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore([] { return rounds(2, 1); }, 2, bugs).raced, 0U);
}

}  // namespace
}  // namespace fathom::rt

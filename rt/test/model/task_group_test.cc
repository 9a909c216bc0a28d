// What a TaskGroup tells two threads that wait for it, in all schedules of a few steps.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "model/expect.h"
#include "model/mutex.h"

#include "fathom/rt/task_group.h"

namespace fathom::rt {
namespace {

using model::expect_clean;
using model::explore;
using model::Scenario;

enum class Told { nothing, done, cancelled, exception };

struct Waited {
  Executor executor{Executor::Options{}};
  TaskGroup group{executor};
  std::array<Told, 2> told = {};

  void wait(std::size_t thread) {
    try {
      told.at(thread) = group.wait() == TaskGroup::Ended::done ? Told::done : Told::cancelled;
    } catch (const std::runtime_error&) {
      told.at(thread) = Told::exception;
    }
  }
};

// The group ends while both threads wait.
Scenario ended_by(void (*task)(TaskGroup&), Told expected) {
  const auto waited = std::make_shared<Waited>();
  Scenario scenario;
  scenario.threads.emplace_back(
      [waited, task] { waited->group.run([&group = waited->group, task] { task(group); }); });
  for (std::size_t thread = 0; thread < 2; ++thread) {
    scenario.threads.emplace_back([waited, thread] { waited->wait(thread); });
  }
  scenario.check = [waited, expected] {
    return waited->told == std::array{expected, expected} && !waited->group.cancelled();
  };
  return scenario;
}

Scenario ended_by_an_exception() {
  return ended_by([](TaskGroup&) { throw std::runtime_error("told"); }, Told::exception);
}

Scenario cancelled() {
  return ended_by([](TaskGroup& group) { group.cancel(); }, Told::cancelled);
}

TEST(ModelTaskGroup, AllThreadsThatWaitAreToldOfAnException) {
  expect_clean(explore(ended_by_an_exception, 3));
}

TEST(ModelTaskGroup, AllThreadsThatWaitAreToldThatTheGroupWasCancelled) {
  expect_clean(explore(cancelled, 2));
}

}  // namespace
}  // namespace fathom::rt

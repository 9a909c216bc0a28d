// The wake-ups between idle workers, waiting workers and threads that add work, in all schedules of
// a few steps, with the executor's rules around Sleepers written out.

#include "fathom/rt/detail/sleepers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>

#include "model/expect.h"

namespace fathom::rt {
namespace {

using detail::Sleepers;
using model::Bugs;
using model::expect_clean;
using model::explore;
using model::Scenario;
using Kind = Sleepers::Kind;

enum Place : unsigned { kInside, kOutside };

// Counters stand for the queues; a worker takes a task by decrementing one.
struct House {
  explicit House(unsigned tasks_in) : tasks(tasks_in) {}

  const unsigned tasks;  // to be run in all
  Sleepers sleepers{2, 2, nullptr};
  base::atomic<unsigned> queued[2]{};
  base::atomic<unsigned> ran{0};

  bool has_work(Place place) const { return queued[place].load(base::memory_order_relaxed) != 0; }
  bool sleeps_for(Place place) const {
    return sleepers.any(Kind::idle) || (place == kInside && sleepers.any(Kind::helping));
  }
  bool over() const { return ran.load(base::memory_order_relaxed) == tasks; }

  void add(Place place) {
    queued[place].fetch_add(1, base::memory_order_relaxed);
    base::fence(base::memory_order_seq_cst);
    if (!sleepers.enough_marks() && sleeps_for(place)) wake_one(place);
  }
  void wake_one(Place place) {
    sleepers.begin_search();
    if (sleepers.wake(Kind::idle)) return;
    if (place == kInside && sleepers.wake(Kind::helping)) return;
    end_search();
  }
  void end_search() {
    if (!sleepers.end_search()) return;
    for (const Place place : {kInside, kOutside}) {
      if (sleeps_for(place) && has_work(place)) return wake_one(place);
    }
  }

  // As the executor does with a task from outside: to a sleeping worker, or else to the queue.
  void hand_over(Task& task) {
    if (sleepers.marks() == 0 && !has_work(kOutside) && sleepers.hand_over(task)) return;
    add(kOutside);
  }

  bool take(Place place) {
    unsigned left = queued[place].load(base::memory_order_relaxed);
    return left != 0 && queued[place].compare_exchange_strong(
                            left, left - 1, base::memory_order_relaxed, base::memory_order_relaxed);
  }
  bool search(Kind kind, bool marked) {
    if (!marked) sleepers.begin_search();
    const bool took = take(kInside) || (kind == Kind::idle && take(kOutside));
    end_search();
    return took;
  }
  void count_run() {
    if (ran.fetch_add(1, base::memory_order_relaxed) + 1 != tasks) return;
    sleepers.ring(Kind::idle);
    sleepers.ring(Kind::helping);
  }
  void work(unsigned worker, Kind kind) {
    work(worker, kind, [&] { count_run(); });
  }
  template <class Run>
  void work(unsigned worker, Kind kind, const Run& run) {
    Sleepers::Message message;
    while (!over()) {
      if (message.task != nullptr || search(kind, message.mark)) {
        message = {};
        run();
        continue;
      }
      sleepers.sleep(worker, kind, [&] {
        return over() || has_work(kInside) || (kind == Kind::idle && has_work(kOutside));
      });
      message = sleepers.take_message(worker, kind);
    }
    if (message.mark) end_search();
  }
  // Within a task: until the count is 0.
  void help(unsigned worker, const base::atomic<unsigned>& pending) {
    const auto is_over = [&] { return pending.load(base::memory_order_acquire) == 0; };
    bool marked = false;
    while (!is_over()) {
      if (search(Kind::helping, marked)) {
        marked = false;
        count_run();
        continue;
      }
      sleepers.sleep(worker, Kind::helping, [&] { return is_over() || has_work(kInside); });
      marked = sleepers.take_message(worker, Kind::helping).mark;
    }
    if (marked) end_search();
  }
};

Scenario scenario_of(const std::shared_ptr<House>& house) {
  Scenario scenario;
  scenario.check = [house] { return house->over() && house->sleepers.marks() == 0; };
  return scenario;
}

// An idle worker, one that waits within a task, and a thread that adds a task in each place.
Scenario idle_and_helping() {
  const auto house = std::make_shared<House>(2);
  Scenario scenario = scenario_of(house);
  scenario.threads.emplace_back([house] { house->work(0, Kind::idle); });
  scenario.threads.emplace_back([house] { house->work(1, Kind::helping); });
  scenario.threads.emplace_back([house] {
    house->add(kInside);
    house->add(kOutside);
  });
  return scenario;
}

// Two threads add tasks that only an idle worker may take.
Scenario two_submitters() {
  const auto house = std::make_shared<House>(2);
  Scenario scenario = scenario_of(house);
  scenario.threads.emplace_back([house] { house->work(0, Kind::idle); });
  for (int i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([house] { house->add(kOutside); });
  }
  return scenario;
}

// The workers above do not run it: the count of tasks stands for that.
struct Nothing : Task {
  Nothing() : Task([](Task&) noexcept {}) {}
};

// Two threads add tasks for an idle worker, each of which it may be handed.
Scenario two_hand_over() {
  const auto house = std::make_shared<House>(2);
  const auto given = std::make_shared<std::array<Nothing, 2>>();
  Scenario scenario = scenario_of(house);
  scenario.threads.emplace_back([house] { house->work(0, Kind::idle); });
  for (std::size_t i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([house, given, i] { house->hand_over((*given)[i]); });
  }
  return scenario;
}

// The same, but the first task that the worker runs waits for the second thread.
Scenario handed_over_while_it_waits() {
  const auto house = std::make_shared<House>(2);
  const auto given = std::make_shared<std::array<Nothing, 2>>();
  const auto pending = std::make_shared<base::atomic<unsigned>>(1U);
  Scenario scenario = scenario_of(house);
  scenario.threads.emplace_back([house, pending] {
    house->work(0, Kind::idle, [&] {
      house->help(0, *pending);
      house->count_run();
    });
  });
  scenario.threads.emplace_back([house, given] { house->hand_over((*given)[0]); });
  scenario.threads.emplace_back([house, given, pending] {
    house->hand_over((*given)[1]);
    pending->store(0, base::memory_order_release);
    house->sleepers.ring(Kind::helping);
  });
  return scenario;
}

// A thread hands over a task, and adds another one that two idle workers may take.
Scenario one_hands_over() {
  const auto house = std::make_shared<House>(2);
  const auto given = std::make_shared<Nothing>();
  Scenario scenario = scenario_of(house);
  for (unsigned i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([house, i] { house->work(i, Kind::idle); });
  }
  scenario.threads.emplace_back([house, given] {
    house->hand_over(*given);
    house->add(kOutside);
  });
  return scenario;
}

// A worker sleeps until a count is 0, of which the last thread tells all helping workers.
Scenario zero() {
  struct State {
    Sleepers sleepers{1, 2, nullptr};
    base::atomic<unsigned> pending{1};
  };
  const auto state = std::make_shared<State>();
  Scenario scenario;
  scenario.threads.emplace_back([state] {
    const auto none_left = [&] { return state->pending.load(base::memory_order_acquire) == 0; };
    while (!none_left()) state->sleepers.sleep(0, Kind::helping, none_left);
  });
  scenario.threads.emplace_back([state] {
    state->pending.fetch_sub(1, base::memory_order_acq_rel);
    state->sleepers.ring(Kind::helping);
  });
  scenario.check = [state] { return !state->sleepers.any(Kind::helping); };
  return scenario;
}

// A thread adds work and sees enough marks, which another one drops at that time.
Scenario relying() {
  struct State {
    Sleepers sleepers{1, 2, nullptr};
    base::atomic<unsigned> queued{0};
    bool relies = false;
    bool found = false;
  };
  const auto state = std::make_shared<State>();
  for (int i = 0; i < 2; ++i) state->sleepers.begin_search();
  Scenario scenario;
  scenario.threads.emplace_back([state] {
    for (int i = 0; i < 2; ++i) {
      if (state->sleepers.end_search() && state->queued.load(base::memory_order_relaxed) != 0) {
        state->found = true;
      }
    }
  });
  scenario.threads.emplace_back([state] {
    state->queued.store(1, base::memory_order_relaxed);
    base::fence(base::memory_order_seq_cst);
    state->relies = state->sleepers.enough_marks();
  });
  scenario.check = [state] { return state->found || !state->relies; };
  return scenario;
}

TEST(ModelSleepers, WorkThatReliesOnMarksIsFoundWhenOneIsDropped) {
  expect_clean(explore(relying, 6));
}

TEST(ModelSleepers, NoTaskIsForgottenBetweenIdleAndWaitingWorkers) {
  expect_clean(explore(idle_and_helping, 2));
  expect_clean(explore(two_submitters, 3));
}

TEST(ModelSleepers, NoTaskThatIsHandedOverIsForgottenOrRunTwice) {
  expect_clean(explore(two_hand_over, 3));
  expect_clean(explore(one_hands_over, 2));
  expect_clean(explore(handed_over_while_it_waits, 3));
}

TEST(ModelSleepers, AWorkerThatWaitsForACountIsToldOfItsEnd) {
  expect_clean(explore(zero, 5));
}

TEST(ModelSleepers, FindsMissingFences) {
  EXPECT_GT(explore(idle_and_helping, 2, Bugs{.fences_do_nothing = true}).bad(), 0U);
  EXPECT_GT(explore(relying, 6, Bugs{.fences_do_nothing = true}).bad(), 0U);
}

}  // namespace
}  // namespace fathom::rt

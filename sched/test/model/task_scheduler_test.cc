// The scheduler and its stacks in all schedules of a few steps, and with planted bugs.

#include "fathom/sched/task_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "free_places.h"
#include "index_stack.h"
#include "model/data.h"
#include "model/expect.h"
#include "ready_channels.h"
#include "two_stacks.h"

namespace fathom::sched {
namespace {

using model::Bugs;
using model::Data;
using model::expect_clean;
using model::explore;
using model::Scenario;
using Handle = TaskScheduler::Handle;
using Outcome = TaskScheduler::Outcome;
using Spec = TaskScheduler::Spec;
using Status = TaskScheduler::Status;

// ---- The stack

// Three indices, each with data that the thread holding the index writes.
struct Pile {
  Pile() {
    for (std::uint32_t i = 0; i < 3; ++i)
      next[i].store(i < 2 ? i + 1 : kNoIndex, base::memory_order_relaxed);
    head.store(0, base::memory_order_relaxed);
  }
  IndexStack stack() { return {head, next.data(), Contended::retry}; }
  std::uint32_t pop(std::uint32_t most, std::array<std::uint32_t, 3>& taken) {
    const std::uint32_t count =
        stack().pop(1, most, [&](std::uint32_t i, std::uint32_t number) { taken.at(i) = number; });
    for (std::uint32_t i = 0; i < count; ++i)
      own.at(taken.at(i)).set(own.at(taken.at(i)).get() + 1);
    return count;
  }
  // Whether all three indices are in it, once each.
  bool whole() {
    std::array<std::uint32_t, 3> all{};
    std::array<std::uint32_t, 3> more{};
    if (pop(3, all) != 3 || pop(1, more) != 0) return false;
    std::sort(all.begin(), all.end());
    return all == std::array<std::uint32_t, 3>{0, 1, 2};
  }

  IndexStack::Head head{IndexStack::kEmpty};
  std::array<IndexStack::Link, 3> next;
  std::array<Data<int>, 3> own;
};

// One thread takes two; the other takes one, then another, and puts the first back before the
// second: the head is the same as before, what is below it is not.
Scenario swapping() {
  const auto pile = std::make_shared<Pile>();
  Scenario scenario;
  scenario.threads.emplace_back([pile] {
    std::array<std::uint32_t, 3> taken{};
    const std::uint32_t count = pile->pop(2, taken);
    for (std::uint32_t i = 0; i < count; ++i) pile->stack().push(taken.at(i), taken.at(i));
  });
  scenario.threads.emplace_back([pile] {
    std::array<std::uint32_t, 3> first{};
    std::array<std::uint32_t, 3> second{};
    const bool one = pile->pop(1, first) == 1;
    const bool two = pile->pop(1, second) == 1;
    if (one) pile->stack().push(first[0], first[0]);
    if (two) pile->stack().push(second[0], second[0]);
  });
  scenario.check = [pile] { return pile->whole(); };
  return scenario;
}

TEST(ModelIndexStack, B1ARecurringHeadIsNotMistakenForTheOldOne) {
  expect_clean(explore(swapping, 3));
}

// One thread moves an index to another stack for a while, where its link ends; the other thread
// needs the two that are left.
Scenario visiting() {
  const auto pile = std::make_shared<Pile>();
  const auto elsewhere = std::make_shared<IndexStack::Head>(IndexStack::kEmpty);
  const auto enough = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([pile, elsewhere] {
    std::array<std::uint32_t, 3> taken{};
    if (pile->pop(1, taken) != 1) return;
    IndexStack(*elsewhere, pile->next.data(), Contended::retry).push(taken[0], taken[0]);
    pile->stack().push(taken[0], taken[0]);
  });
  scenario.threads.emplace_back([pile, enough] {
    std::array<std::uint32_t, 3> taken{};
    *enough = pile->stack().pop(
                  2, 2, [&](std::uint32_t i, std::uint32_t number) { taken.at(i) = number; }) == 2;
    if (*enough) {
      pile->stack().push(taken[0], taken[0]);
      pile->stack().push(taken[1], taken[1]);
    }
  });
  scenario.check = [pile, enough] { return *enough && pile->whole(); };
  return scenario;
}

TEST(ModelIndexStack, B3AShortWalkDoesNotProveThatThereAreTooFew) {
  expect_clean(explore(visiting, 3));
}

TEST(ModelIndexStack, FindsMissingOrders) {
  EXPECT_GT(explore(swapping, 3, {.all_is_relaxed = true}).raced, 0U);
}

// ---- Two stacks

// Places in one or two lists, each with data that the thread holding the place writes. All are in
// the stack of the first list from which indices are popped first.
struct Places {
  explicit Places(std::uint32_t count, unsigned number_of_lists = 1) : lists(number_of_lists) {
    for (std::uint32_t i = 0; i < count; ++i)
      next.at(i).store(i + 1 < count ? i + 1 : kNoIndex, base::memory_order_relaxed);
    words[1].store(0, base::memory_order_relaxed);
  }
  FreePlaces places() { return {{words.data()}, lists, next.data(), Contended::retry}; }
  TwoStacks stacks(unsigned list = 0) { return places().list(list); }
  // From the list, if there are enough, or from others. Returns the first of a chain.
  std::uint32_t take(std::uint32_t count, unsigned list = 0) {
    const std::uint32_t first = places().pop_chain(list, count);
    std::uint32_t place = first;
    for (std::uint32_t i = 0; first != kNoIndex && i < count; ++i) {
      own.at(place).set(own.at(place).get() + 1);
      place = next.at(place).load(base::memory_order_relaxed);
    }
    return first;
  }
  // Takes one and returns it, to a list; whether there was one.
  bool take_and_return(unsigned from = 0, unsigned to = 0) {
    const std::uint32_t place = take(1, from);
    if (place != kNoIndex) stacks(to).push(place, place);
    return place != kNoIndex;
  }
  // How many there are.
  std::uint32_t count() {
    std::uint32_t sum = 0;
    while (take(1) != kNoIndex) ++sum;
    return sum;
  }

  const unsigned lists;
  std::array<StackWords::Word, std::size_t{2} * StackWords::kCount> words{
      IndexStack::kEmpty, IndexStack::kEmpty, 0, IndexStack::kEmpty, IndexStack::kEmpty, 0};
  std::array<IndexStack::Link, 4> next;
  std::array<Data<int>, 4> own;
};

// Two places in each stack. Three of the four are always free, but one changes stacks between two
// looks.
Scenario changing_stacks() {
  const auto places = std::make_shared<Places>(4);
  for (int i = 0; i < 2; ++i) places->take_and_return();
  const auto found = std::make_shared<bool>(false);
  const auto held = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([places, held] {
    places->take_and_return();
    *held = places->places().pop_chain(0, 1) != kNoIndex;
  });
  scenario.threads.emplace_back(
      [places, found] { *found = places->places().pop_chain(0, 3) != kNoIndex; });
  scenario.check = [places, found, held] { return *found && places->count() == (*held ? 0 : 1); };
  return scenario;
}

// Two places in the second of two lists. One of them is always free, but one changes lists between
// two looks.
Scenario changing_lists() {
  const auto places = std::make_shared<Places>(2, 2);
  for (int i = 0; i < 2; ++i) places->take_and_return(0, 1);
  const auto found = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([places] {
    const std::uint32_t place = places->take(1, 1);
    places->stacks(0).push(place, place);
    static_cast<void>(places->take(1, 1));
  });
  scenario.threads.emplace_back(
      [places, found] { *found = places->places().pop_chain(0, 1) != kNoIndex; });
  scenario.check = [places, found] { return *found && places->count() == 0; };
  return scenario;
}

// Two of three places are always free, but not always in one stack.
Scenario taking_from_both() {
  const auto places = std::make_shared<Places>(3);
  const auto found = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([places] {
    for (int i = 0; i < 2; ++i) places->take_and_return();
  });
  scenario.threads.emplace_back([places, found] {
    const std::uint32_t first = places->places().pop_chain(0, 2);
    *found = first != kNoIndex;
    if (!*found) return;
    const std::uint32_t second = places->next.at(first).load(base::memory_order_relaxed);
    for (const std::uint32_t place : {first, second}) {
      places->own.at(place).set(places->own.at(place).get() + 1);
    }
    places->stacks().push(first, second);
  });
  scenario.check = [places, found] { return *found && places->count() == 3; };
  return scenario;
}

// One place in each stack. A thread takes both, another one takes one of them: the first may find
// too few, and then returns what it took.
Scenario taking_too_many() {
  const auto places = std::make_shared<Places>(2);
  places->take_and_return();
  const auto both = std::make_shared<bool>(false);
  const auto one = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back(
      [places, both] { *both = places->places().pop_chain(0, 2) != kNoIndex; });
  scenario.threads.emplace_back(
      [places, one] { *one = places->places().pop_chain(0, 1) != kNoIndex; });
  scenario.check = [places, both, one] {
    return !(*both && *one) && places->count() == (*both ? 0 : *one ? 1 : 2);
  };
  return scenario;
}

TEST(ModelTwoStacks, B3APlaceThatChangesStacksIsNotMissed) {
  expect_clean(explore(changing_stacks, 4));
}

TEST(ModelTwoStacks, B3APlaceThatChangesListsIsNotMissed) {
  expect_clean(explore(changing_lists, 4));
}

TEST(ModelTwoStacks, B3PlacesInBothStacksAreTakenTogether) {
  expect_clean(explore(taking_from_both, 4));
}

TEST(ModelTwoStacks, PlacesThatAreTooFewAreReturned) {
  expect_clean(explore(taking_too_many, 6));
}

// ---- Which channels have ready tasks

// Five channels, which are too many to look at all of them. Each may contain its own number.
struct Channels {
  Channels() {
    for (auto& words : stacks) {
      words[0].store(IndexStack::kEmpty, base::memory_order_relaxed);
      words[1].store(IndexStack::kEmpty, base::memory_order_relaxed);
    }
    noted().reset();
  }
  ReadyChannels noted() { return {noted_words.data(), kChannels}; }
  TwoStacks tasks(unsigned channel) {
    return {{stacks.at(channel).data()}, next.data(), Contended::retry};
  }
  void push(unsigned channel) {
    tasks(channel).push_in_order(channel, channel);
    noted().note(channel);
  }
  bool take() {
    return noted().find(0, [this](unsigned channel) {
      return tasks(channel).pop(1, [](std::uint32_t /*i*/, std::uint32_t /*task*/) {}) == 1;
    });
  }
  void forget() {
    noted().forget([this](unsigned channel) { return tasks(channel).empty_in_order(); });
  }

  static constexpr unsigned kChannels = 5;
  std::array<std::array<StackWords::Word, StackWords::kCount>, kChannels> stacks;
  std::array<IndexStack::Link, kChannels> next;
  std::array<ReadyChannels::Word, 1> noted_words;
};

// A thread adds a task to a channel that was noted but is empty, and then looks for one, while
// others forget the channel.
Scenario forgetting(int others) {
  const auto channels = std::make_shared<Channels>();
  const auto found = std::make_shared<bool>(false);
  channels->noted().note(0);
  Scenario scenario;
  for (int i = 0; i < others; ++i) {
    scenario.threads.emplace_back([channels] { channels->forget(); });
  }
  scenario.threads.emplace_back([channels, found] {
    channels->push(0);
    *found = channels->take();
  });
  scenario.check = [channels, found] { return *found && !channels->take(); };
  return scenario;
}

TEST(ModelReadyChannels, ASearchFindsATaskThatWasAddedWhileItsChannelWasForgotten) {
  expect_clean(explore([] { return forgetting(1); }, 4));
}

TEST(ModelReadyChannels, ADoubtIsNotMistakenForAnother) {
  expect_clean(explore([] { return forgetting(2); }, 4));
}

// Two threads add tasks to two channels of one word, and each looks for one, while a third forgets
// both channels.
Scenario adding_two() {
  const auto channels = std::make_shared<Channels>();
  channels->noted().note(0);
  Scenario scenario;
  scenario.threads.emplace_back([channels] { channels->forget(); });
  for (unsigned channel = 0; channel < 2; ++channel) {
    scenario.threads.emplace_back([channels, channel] { channels->push(channel); });
  }
  scenario.check = [channels] { return channels->take() && channels->take() && !channels->take(); };
  return scenario;
}

TEST(ModelReadyChannels, TasksAddedToTwoChannelsAreBothFound) {
  expect_clean(explore(adding_two, 3));
}

// ---- The scheduler

// A scheduler, and the effects of its tasks.
struct World {
  World()
      : scheduler({.tasks = 3, .dependencies = 2, .aligned_channels = false, .pauses = false}) {}
  Handle create(TaskScheduler::Body body) {
    const Spec spec{body, this};
    Handle task;
    if (scheduler.create({&spec, 1}, {&task, 1}) != Status::ok) failed = true;
    return task;
  }
  void run_all() {
    while (scheduler.execute_one(0)) {
    }
  }

  TaskScheduler scheduler;
  Data<int> left{0};
  Data<int> right{0};
  Data<int> joined{0};  // what the joining task saw
  Data<int> runs{0};
  bool failed = false;
};

World& world_of(void* context) {
  return *static_cast<World*>(context);
}

Outcome left(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  world_of(context).left = 1;
  return Outcome::done;
}

Outcome right(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  world_of(context).right = 2;
  return Outcome::done;
}

Outcome join(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  World& world = world_of(context);
  world.joined = world.joined + world.left + world.right;
  return Outcome::done;
}

// Two threads run ready tasks: two tasks, and one that depends on both.
Scenario joining() {
  const auto world = std::make_shared<World>();
  const std::array<Handle, 2> parts = {world->create(&left), world->create(&right)};
  const Handle whole = world->create(&join);
  world->failed = world->scheduler.add_dependencies(whole, parts) != Status::ok ||
                  !world->scheduler.ready(parts);
  Scenario scenario;
  for (int i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([world] { world->run_all(); });
  }
  scenario.check = [world] { return !world->failed && world->joined == 3; };
  return scenario;
}

Outcome nothing(TaskScheduler& /*scheduler*/, Handle /*task*/, void* /*context*/) noexcept {
  return Outcome::done;
}

// A task gets a dependency that finishes at the same time, and whose place another task may get.
Scenario waiting_late(bool is_replaced) {
  const auto world = std::make_shared<World>();
  const Handle first = world->create(&left);
  const Handle second = world->create(&join);
  world->failed = world->scheduler.ready(first) != Status::ok;
  Scenario scenario;
  scenario.threads.emplace_back([world, is_replaced] {
    world->run_all();
    if (is_replaced) world->create(&nothing);
  });
  scenario.threads.emplace_back([world, first, second] {
    if (world->scheduler.add_dependencies(second, {&first, 1}) != Status::ok) world->failed = true;
    world->run_all();
  });
  scenario.check = [world] {
    world->run_all();
    return !world->failed && world->joined == 1;
  };
  return scenario;
}

// A task is freed while its dependency finishes, which may have started it before.
Scenario freeing() {
  const auto world = std::make_shared<World>();
  const Handle first = world->create(&left);
  const Handle second = world->create(&join);
  world->failed = world->scheduler.add_dependencies(second, {&first, 1}) != Status::ok ||
                  world->scheduler.ready(first) != Status::ok;
  const auto freed = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([world] { world->run_all(); });
  scenario.threads.emplace_back([world, second, freed] {
    *freed = static_cast<bool>(world->scheduler.free({&second, 1}));
  });
  scenario.check = [world, freed] {
    world->run_all();
    for (int i = 0; i < 3; ++i) world->create(&left);  // all places are free again
    return !world->failed && world->joined == (*freed ? 0 : 1);
  };
  return scenario;
}

Outcome once_blocked(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  World& world = world_of(context);
  world.runs = world.runs + 1;
  if (world.runs == 1) return Outcome::blocked;
  world.joined = world.left;  // written before ready()
  return Outcome::done;
}

// A task blocks while another thread calls ready(), possibly before the body has returned.
Scenario blocking() {
  const auto world = std::make_shared<World>();
  const Handle task = world->create(&once_blocked);
  world->failed = world->scheduler.ready(task) != Status::ok;
  Scenario scenario;
  const auto told = std::make_shared<bool>(false);
  scenario.threads.emplace_back([world] { world->run_all(); });
  scenario.threads.emplace_back([world, task, told] {
    world->left = 1;
    *told = world->scheduler.ready(task) == Status::ok;
    world->run_all();
  });
  scenario.check = [world, told] {
    world->run_all();
    return !world->failed && world->runs == (*told ? 2 : 1) && world->joined == (*told ? 1 : 0);
  };
  return scenario;
}

// A task is freed while its dependency finishes, it runs, and another task gets its place.
Scenario freeing_too_late() {
  const auto world = std::make_shared<World>();
  world->create(&nothing);  // no place is left, so that another task gets one of these two
  const Handle first = world->create(&left);
  const Handle second = world->create(&join);
  world->failed = world->scheduler.add_dependencies(second, {&first, 1}) != Status::ok ||
                  world->scheduler.ready(first) != Status::ok;
  const auto other = std::make_shared<Handle>();
  Scenario scenario;
  scenario.threads.emplace_back([world, other] {
    world->run_all();
    *other = world->create(&nothing);
  });
  scenario.threads.emplace_back([world, second] {
    static_cast<void>(world->scheduler.free({&second, 1}));
  });
  scenario.check = [world, other] {
    return !world->failed && world->scheduler.ready(*other) == Status::ok;
  };
  return scenario;
}

// A thread spawns two tasks, of which the second may get the place of the first, while another runs
// them.
Scenario spawning() {
  const auto world = std::make_shared<World>();
  world->create(&nothing);
  world->create(&nothing);  // leaves one place
  const auto spawned = std::make_shared<int>(0);
  Scenario scenario;
  scenario.threads.emplace_back([world, spawned] {
    world->right = 2;
    for (int i = 0; i < 2; ++i) {
      if (world->scheduler.spawn({&join, world.get()}) == Status::ok) ++*spawned;
    }
  });
  scenario.threads.emplace_back([world] { world->run_all(); });
  scenario.check = [world, spawned] {
    world->run_all();
    return !world->failed && *spawned > 0 && world->joined == 2 * *spawned;
  };
  return scenario;
}

// A task gets a spawned one as a dependency, which finishes at the same time: it is refused, or
// the effects of the spawned task are visible.
Scenario waiting_for_a_spawned_task() {
  const auto world = std::make_shared<World>();
  const Handle second = world->create(&join);
  world->failed = world->scheduler.spawn({&left, world.get()}) != Status::ok;
  const Handle spawned{.index = 1, .generation = 1};
  const auto status = std::make_shared<Status>(Status::busy);
  Scenario scenario;
  scenario.threads.emplace_back([world] { world->scheduler.execute_one(0); });
  scenario.threads.emplace_back([world, second, spawned, status] {
    *status = world->scheduler.add_dependencies(second, {&spawned, 1});
    world->run_all();
  });
  scenario.check = [world, second, status] {
    if (*status == Status::invalid) *status = world->scheduler.ready(second);
    world->run_all();
    return !world->failed && *status == Status::ok && world->joined == 1;
  };
  return scenario;
}

// Whether everything in the scheduler can run to its end, and all places are free then.
bool comes_to_an_end(World& world, const std::array<Handle, 2>& tasks) {
  for (int round = 0; round < 2; ++round) {
    for (const Handle task : tasks) static_cast<void>(world.scheduler.ready(task));
    world.run_all();
  }
  std::array<Handle, 3> all;
  return world.scheduler.create({{&nothing}, {&nothing}, {&nothing}}, all) == Status::ok &&
         world.scheduler.add_dependencies(all[0], {&all[1], 2}) == Status::ok;
}

// A copy is made while another thread acts.
template <class Act>
Scenario copying(const Act& act) {
  const auto world = std::make_shared<World>();
  const auto copy = std::make_shared<World>();
  const std::array<Handle, 2> tasks = {world->create(&nothing), world->create(&nothing)};
  const auto made = std::make_shared<Handle>();
  const auto status = std::make_shared<Status>(Status::busy);
  Scenario scenario;
  scenario.threads.emplace_back([=] { *made = act(*world, tasks); });
  scenario.threads.emplace_back([=] { *status = copy->scheduler.copy_from(world->scheduler); });
  scenario.check = [=] {
    if (*status != Status::ok) return true;
    // A task created meanwhile is missing in the copy, or complete: its context is the source's
    // world.
    if (copy->scheduler.ready(*made) == Status::ok) {
      copy->run_all();
      if (world->left != 1) return false;
    }
    return comes_to_an_end(*copy, tasks);
  };
  return scenario;
}

// A blocked task gets a dependency.
Scenario waiting_while_blocked() {
  const auto world = std::make_shared<World>();
  const Handle first = world->create(&left);
  const Handle second = world->create(&once_blocked);
  world->failed = world->scheduler.ready(second) != Status::ok;
  world->run_all();
  if (world->scheduler.ready(first) != Status::ok) world->failed = true;
  Scenario scenario;
  scenario.threads.emplace_back([world] { world->run_all(); });
  scenario.threads.emplace_back([world, first, second] {
    if (world->scheduler.add_dependencies(second, {&first, 1}) != Status::ok) world->failed = true;
    world->run_all();
  });
  scenario.check = [world] {
    world->run_all();
    return !world->failed && world->joined == 1 && world->runs == 2;
  };
  return scenario;
}

Outcome blocked_and_done(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  World& world = world_of(context);
  world.runs = world.runs + 1;
  return world.runs == 1 ? Outcome::blocked : Outcome::done;
}

// A blocked task gets a dependency or is made ready, whichever comes first; all places are free at
// the end.
Scenario ready_or_waiting() {
  const auto world = std::make_shared<World>();
  const Handle first = world->create(&left);
  const Handle second = world->create(&blocked_and_done);
  world->failed = world->scheduler.ready(second) != Status::ok;
  world->run_all();
  Scenario scenario;
  scenario.threads.emplace_back([world, second] {
    const Status status = world->scheduler.ready(second);
    if (status == Status::invalid || status == Status::full) world->failed = true;
    world->run_all();
  });
  scenario.threads.emplace_back([world, first, second] {
    const Status status = world->scheduler.add_dependencies(second, {&first, 1});
    if (status == Status::invalid || status == Status::full) world->failed = true;
    if (world->scheduler.ready(first) != Status::ok) world->failed = true;
    world->run_all();
  });
  scenario.check = [world] {
    world->run_all();
    std::array<Handle, 3> all;
    return !world->failed && world->left == 1 && world->runs == 2 &&
           world->scheduler.create({{&nothing}, {&nothing}, {&nothing}}, all) == Status::ok &&
           world->scheduler.add_dependencies(all[0], {&all[1], 2}) == Status::ok;
  };
  return scenario;
}

// A scheduler with one task and two channels.
struct TwoChannels {
  TaskScheduler scheduler{{.tasks = 1, .channels = 2, .aligned_channels = false, .pauses = false}};
  Data<int> runs{0};
  bool failed = false;
  bool execute(unsigned channel) {
    return scheduler.execute_one(channel, TaskScheduler::From::this_channel);
  }
};

Outcome moves_itself(TaskScheduler& scheduler, Handle task, void* context) noexcept {
  auto& world = *static_cast<TwoChannels*>(context);
  world.runs = world.runs + 1;
  if (world.runs == 2) return Outcome::done;
  if (!scheduler.set_channel({&task, 1}, 1)) world.failed = true;
  return Outcome::blocked;
}

// A task moves itself to another channel and blocks, while another thread makes it ready: if it
// runs again, it runs in the other channel.
Scenario moving() {
  const auto world = std::make_shared<TwoChannels>();
  const auto told = std::make_shared<bool>(false);
  const Spec spec{&moves_itself, world.get()};
  Handle task;
  world->failed = world->scheduler.create({&spec, 1}, {&task, 1}) != Status::ok ||
                  world->scheduler.ready(task) != Status::ok;
  Scenario scenario;
  scenario.threads.emplace_back([world] { world->execute(0); });
  scenario.threads.emplace_back(
      [world, task, told] { *told = world->scheduler.ready(task) == Status::ok; });
  scenario.check = [world, told] {
    return !world->failed && world->runs == 1 && !world->execute(0) && world->execute(1) == *told;
  };
  return scenario;
}

TEST(ModelTaskScheduler, B11AConcurrentCopyIsCompleteOrRefused) {
  using Tasks = std::array<Handle, 2>;
  expect_clean(explore(
      [] {
        return copying([](World& world, const Tasks& tasks) {
          static_cast<void>(world.scheduler.free({tasks.data(), 1}));
          return Handle{};
        });
      },
      2));
  expect_clean(explore(
      [] {
        return copying([](World& world, const Tasks& /*tasks*/) { return world.create(&left); });
      },
      2));
  expect_clean(explore(
      [] {
        return copying([](World& world, const Tasks& tasks) {
          static_cast<void>(world.scheduler.add_dependencies(tasks[0], {&tasks[1], 1}));
          return Handle{};
        });
      },
      2));
  expect_clean(explore(
      [] {
        return copying([](World& world, const Tasks& tasks) {
          static_cast<void>(world.scheduler.ready(tasks));
          world.run_all();
          return Handle{};
        });
      },
      2));
}

TEST(ModelTaskScheduler, ASpawnedTaskSeesWhatCameBefore) {
  expect_clean(explore(spawning, 4));
}

TEST(ModelTaskScheduler, ATaskWaitsForASpawnedOneOnlyIfThatHasFinished) {
  expect_clean(explore(waiting_for_a_spawned_task, 4));
}

TEST(ModelTaskScheduler, AFinishedTaskIsRecognizedEvenIfAnotherHasItsPlace) {
  expect_clean(explore([] { return waiting_late(true); }, 3));
}

TEST(ModelTaskScheduler, FreeingATaskLeavesTheNextInItsPlaceAlone) {
  expect_clean(explore(freeing_too_late, 3));
}

TEST(ModelTaskScheduler, ATaskSeesTheEffectsOfItsDependencies) {
  expect_clean(explore(joining, 2));
}

TEST(ModelTaskScheduler, B6ADependencyThatFinishesMeanwhileIsFulfilled) {
  expect_clean(explore([] { return waiting_late(false); }, 3));
}

TEST(ModelTaskScheduler, AFreedTaskDoesNotRunAndAStartedTaskIsNotFreed) {
  expect_clean(explore(freeing, 3));
}

TEST(ModelTaskScheduler, B7ATaskMadeReadyWhileItRunsRunsOnceMoreAndNeverConcurrently) {
  expect_clean(explore(blocking, 3));
}

TEST(ModelTaskScheduler, ABlockedTaskMayGetDependencies) {
  expect_clean(explore(waiting_while_blocked, 4));
}

TEST(ModelTaskScheduler, ABlockedTaskIsReadyOrWaitsWhicheverComesFirst) {
  expect_clean(explore(ready_or_waiting, 4));
}

TEST(ModelTaskScheduler, ATaskThatMovesItselfRunsThereNext) {
  expect_clean(explore(moving, 4));
}

TEST(ModelTaskScheduler, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore(joining, 2, bugs).raced, 0U);
  EXPECT_GT(explore([] { return waiting_late(false); }, 3, bugs).raced, 0U);
  EXPECT_GT(explore(blocking, 3, bugs).raced, 0U);
}

}  // namespace
}  // namespace fathom::sched

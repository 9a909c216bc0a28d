// Tests of TaskScheduler on one thread: states, channels, room, memory, cycles, and copies.

#include "fathom/sched/task_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error.h"

namespace fathom::sched {
namespace {

using Handle = TaskScheduler::Handle;
using Options = TaskScheduler::Options;
using Outcome = TaskScheduler::Outcome;
using Spec = TaskScheduler::Spec;
using Status = TaskScheduler::Status;

// Records which tasks ran, in order. For one thread only.
struct Diary {
  std::vector<std::string> lines;
};

struct Entry {
  Diary* diary;
  std::string text;
};

Outcome write_down(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  const auto* const entry = static_cast<const Entry*>(context);
  entry->diary->lines.push_back(entry->text);
  return Outcome::done;
}

Outcome count(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  static_cast<base::atomic<int>*>(context)->fetch_add(1, base::memory_order_relaxed);
  return Outcome::done;
}

Handle made(TaskScheduler& scheduler, const Spec& spec) {
  Handle task;
  EXPECT_EQ(scheduler.create({&spec, 1}, {&task, 1}), Status::ok);
  return task;
}

void run_all(TaskScheduler& scheduler, unsigned channel = 0) {
  while (scheduler.execute_one(channel)) {
  }
}

struct Calls {
  std::vector<std::pair<unsigned, std::uint32_t>> all;
};

void note(void* context, unsigned channel, std::uint32_t count) noexcept {
  static_cast<Calls*>(context)->all.emplace_back(channel, count);
}

// ---- Basics

TEST(TaskScheduler, RunsATaskAfterItsDependencies) {
  TaskScheduler scheduler({.tasks = 4, .dependencies = 4});
  Diary diary;
  std::array<Entry, 3> entries = {{{&diary, "left"}, {&diary, "right"}, {&diary, "join"}}};
  std::array<Handle, 3> tasks;
  ASSERT_EQ(
      scheduler.create(
          {{&write_down, &entries[0]}, {&write_down, &entries[1]}, {&write_down, &entries[2]}},
          tasks),
      Status::ok);
  const std::span parts(tasks.data(), 2);
  ASSERT_EQ(scheduler.add_dependencies(tasks[2], parts), Status::ok);
  EXPECT_EQ(scheduler.ready(tasks[2]), Status::waiting);
  EXPECT_TRUE(scheduler.ready(parts));
  run_all(scheduler);
  EXPECT_EQ(diary.lines, (std::vector<std::string>{"left", "right", "join"}));
  EXPECT_EQ(scheduler.ready(tasks[2]), Status::stale);
}

TEST(TaskScheduler, RunsTasksMadeReadyTogetherInOrder) {
  TaskScheduler scheduler({.tasks = 8});
  Diary diary;
  std::vector<Entry> entries;
  for (int i = 0; i < 8; ++i) entries.push_back({&diary, std::to_string(i)});
  std::vector<Handle> tasks;
  for (Entry& entry : entries) tasks.push_back(made(scheduler, {&write_down, &entry}));
  EXPECT_TRUE(scheduler.ready(tasks));
  EXPECT_EQ(scheduler.execute(0, 3), 3U);
  EXPECT_EQ(scheduler.execute(0, 64), 5U);
  EXPECT_EQ(scheduler.execute(0, 64), 0U);
  EXPECT_EQ(diary.lines, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST(TaskScheduler, TakesFromTheGivenChannelAndThenFromTheNext) {
  TaskScheduler scheduler({.tasks = 8, .channels = 3});
  Diary diary;
  std::array<Entry, 3> entries = {{{&diary, "0"}, {&diary, "1"}, {&diary, "2"}}};
  std::array<Handle, 3> tasks;
  for (unsigned c = 0; c < 3; ++c) tasks.at(c) = made(scheduler, {&write_down, &entries.at(c), c});
  EXPECT_TRUE(scheduler.ready(tasks));
  EXPECT_TRUE(scheduler.execute_one(2));
  EXPECT_FALSE(scheduler.execute_one(2, TaskScheduler::From::this_channel));
  EXPECT_TRUE(scheduler.execute_one(2));
  EXPECT_TRUE(scheduler.execute_one(2));
  EXPECT_FALSE(scheduler.execute_one(2));
  EXPECT_FALSE(scheduler.execute_one(3));
  EXPECT_EQ(diary.lines, (std::vector<std::string>{"2", "0", "1"}));
}

TEST(TaskScheduler, FindsTheNextOfManyChannelsThatHasATask) {
  TaskScheduler scheduler({.tasks = 6, .channels = 256});
  for (int round = 0; round < 3; ++round) {
    Diary diary;
    std::vector<Entry> entries;
    std::vector<Handle> tasks;
    const std::array<unsigned, 6> channels = {0, 33, 5, 255, 40, 34};
    for (const unsigned channel : channels) entries.push_back({&diary, std::to_string(channel)});
    for (std::size_t i = 0; i < channels.size(); ++i) {
      tasks.push_back(made(scheduler, {&write_down, &entries[i], channels.at(i)}));
    }
    EXPECT_FALSE(scheduler.has_ready());
    EXPECT_TRUE(scheduler.ready(tasks));
    EXPECT_FALSE(scheduler.execute_one(254, TaskScheduler::From::this_channel));
    while (scheduler.has_ready()) EXPECT_TRUE(scheduler.execute_one(34));
    EXPECT_EQ(diary.lines, (std::vector<std::string>{"34", "40", "255", "0", "5", "33"}));
    EXPECT_FALSE(scheduler.execute_one(34));  // forgets the channels
  }
}

TEST(TaskScheduler, RunsDependentsInTheSameChannelInALine) {
  Calls calls;
  TaskScheduler scheduler(
      {.tasks = 5, .dependencies = 4, .channels = 2, .on_ready = {&note, &calls}});
  Diary diary;
  std::vector<Entry> entries;
  for (const char* const name : {"a", "b", "c", "aside", "d"}) entries.push_back({&diary, name});
  std::vector<Handle> tasks;
  for (Entry& entry : entries) {
    tasks.push_back(made(scheduler, {&write_down, &entry, entry.text == "aside" ? 1U : 0U}));
  }
  const auto wait = [&](std::size_t task, std::size_t on) {
    ASSERT_EQ(scheduler.add_dependencies(tasks.at(task), {&tasks.at(on), 1}), Status::ok);
  };
  wait(1, 0);
  wait(2, 1);
  wait(3, 1);
  wait(4, 2);
  EXPECT_EQ(scheduler.ready(tasks[0]), Status::ok);
  EXPECT_EQ(calls.all.size(), 1U);
  EXPECT_EQ(scheduler.execute_line(0, 3), 3U);
  EXPECT_EQ(diary.lines, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(calls.all, (std::vector<std::pair<unsigned, std::uint32_t>>{{0, 1}, {1, 1}, {0, 1}}));
  EXPECT_EQ(scheduler.execute_line(0, 0), 0U);
  EXPECT_EQ(scheduler.execute_line(2, 3), 0U);
  EXPECT_EQ(scheduler.execute_line(0, 3), 1U);
  EXPECT_EQ(scheduler.execute_line(0, 3), 1U);
  EXPECT_EQ(scheduler.execute_line(0, 3), 0U);
  EXPECT_EQ(diary.lines, (std::vector<std::string>{"a", "b", "c", "d", "aside"}));
}

TEST(TaskScheduler, MovesTasksToAnotherChannelUntilTheyAreReady) {
  TaskScheduler scheduler({.tasks = 2, .channels = 2});
  base::atomic<int> runs{0};
  const Handle task = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.set_channel({&task, 1}, 2).status, Status::invalid);
  EXPECT_TRUE(scheduler.set_channel({&task, 1}, 1));
  EXPECT_EQ(scheduler.ready(task), Status::ok);
  EXPECT_EQ(scheduler.set_channel({&task, 1}, 0).status, Status::started);
  EXPECT_FALSE(scheduler.execute_one(0, TaskScheduler::From::this_channel));
  EXPECT_TRUE(scheduler.execute_one(1, TaskScheduler::From::this_channel));
  EXPECT_EQ(scheduler.set_channel({&task, 1}, 0).status, Status::stale);
}

TEST(TaskScheduler, ATaskMayHaveManyDependenciesAndDependents) {
  TaskScheduler scheduler({.tasks = 101, .dependencies = 200});
  Diary diary;
  Entry first{&diary, "first"}, middle{&diary, "middle"}, last{&diary, "last"};
  std::vector<Handle> before, after;
  for (int i = 0; i < 50; ++i) before.push_back(made(scheduler, {&write_down, &first}));
  const Handle task = made(scheduler, {&write_down, &middle});
  for (int i = 0; i < 50; ++i) after.push_back(made(scheduler, {&write_down, &last}));
  ASSERT_EQ(scheduler.add_dependencies(task, before), Status::ok);
  for (const Handle one : after) {
    ASSERT_EQ(scheduler.add_dependencies(one, {&task, 1}), Status::ok);
  }
  EXPECT_TRUE(scheduler.ready(before));
  run_all(scheduler);
  ASSERT_EQ(diary.lines.size(), 101U);
  EXPECT_EQ(diary.lines[49], "first");
  EXPECT_EQ(diary.lines[50], "middle");
  EXPECT_EQ(diary.lines[51], "last");
}

TEST(TaskScheduler, FinishedDependenciesAreFulfilled) {
  TaskScheduler scheduler({.tasks = 3, .dependencies = 2});
  base::atomic<int> runs{0};
  const std::array<Handle, 2> done = {made(scheduler, {&count, &runs}),
                                      made(scheduler, {&count, &runs})};
  EXPECT_TRUE(scheduler.ready(done));
  run_all(scheduler);
  const Handle task = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.add_dependencies(task, done), Status::ok);
  EXPECT_EQ(scheduler.ready(task), Status::already);
  run_all(scheduler);
  EXPECT_EQ(runs, 3);
}

TEST(TaskScheduler, RunsSpawnedTasksInOrderAndFreesTheirPlaces) {
  TaskScheduler scheduler({.tasks = 3, .channels = 2});
  for (int round = 0; round < 3; ++round) {
    Diary diary;
    std::array<Entry, 3> entries = {{{&diary, "a"}, {&diary, "b"}, {&diary, "c"}}};
    const std::array<Spec, 2> two = {{{&write_down, &entries[0]}, {&write_down, &entries[1]}}};
    EXPECT_EQ(scheduler.spawn(two), Status::ok);
    EXPECT_EQ(scheduler.spawn(two), Status::full);
    EXPECT_EQ(scheduler.spawn({&write_down, &entries[2], 1}), Status::ok);
    EXPECT_EQ(scheduler.spawn({&write_down, &entries[2]}), Status::full);
    run_all(scheduler);
    EXPECT_EQ(diary.lines, (std::vector<std::string>{"a", "b", "c"}));
  }
}

TEST(TaskScheduler, TellsOnceOfEachRangeOfSpawnedTasks) {
  Calls calls;
  TaskScheduler scheduler({.tasks = 5, .channels = 2, .on_ready = {&note, &calls}});
  base::atomic<int> runs{0};
  std::vector<Spec> specs;
  for (const unsigned channel : {1U, 1U, 0U, 0U, 0U}) specs.push_back({&count, &runs, channel});
  EXPECT_EQ(scheduler.spawn(specs), Status::ok);
  EXPECT_EQ(calls.all, (std::vector<std::pair<unsigned, std::uint32_t>>{{1, 2}, {0, 3}}));
  run_all(scheduler);
  EXPECT_EQ(runs, 5);
}

// Keeps the handle of the task that runs it, and blocks once.
struct Keeping {
  Handle task;
  Handle waits_for;
  int runs = 0;
};

Outcome keep_and_block(TaskScheduler& scheduler, Handle task, void* context) noexcept {
  auto& keeping = *static_cast<Keeping*>(context);
  keeping.task = task;
  if (++keeping.runs == 2) return Outcome::done;
  EXPECT_EQ(scheduler.add_dependencies(task, {&keeping.waits_for, 1}), Status::ok);
  return Outcome::blocked;
}

TEST(TaskScheduler, ASpawnedTaskMayBlockAndWaitButNothingDependsOnIt) {
  TaskScheduler scheduler({.tasks = 3, .dependencies = 2});
  base::atomic<int> runs{0};
  Keeping keeping{.task = {}, .waits_for = made(scheduler, {&count, &runs})};
  const Handle other = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.spawn({&keep_and_block, &keeping}), Status::ok);
  EXPECT_TRUE(scheduler.execute_one(0));
  EXPECT_EQ(scheduler.free({&keeping.task, 1}).status, Status::started);
  EXPECT_EQ(scheduler.add_dependencies(other, {&keeping.task, 1}), Status::invalid);
  EXPECT_EQ(scheduler.ready(keeping.task), Status::waiting);
  EXPECT_TRUE(scheduler.find_cycle().empty());
  EXPECT_EQ(scheduler.ready(keeping.waits_for), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(keeping.runs, 2);
  EXPECT_EQ(scheduler.ready(keeping.task), Status::stale);
  EXPECT_EQ(scheduler.add_dependencies(other, {&keeping.task, 1}), Status::ok);  // it has finished
  run_all(scheduler);
  EXPECT_EQ(runs, 2);
}

struct Blocking {
  base::atomic<int> runs{0};
  int until = 2;
  bool tells_itself = false;
  Handle waits_for = {};
};

Outcome block_until(TaskScheduler& scheduler, Handle task, void* context) noexcept {
  auto& blocking = *static_cast<Blocking*>(context);
  if (++blocking.runs >= blocking.until) return Outcome::done;
  if (blocking.tells_itself) {
    EXPECT_EQ(scheduler.ready(task), Status::ok);
    EXPECT_EQ(scheduler.ready(task), Status::already);
  }
  if (blocking.waits_for != Handle{}) {
    EXPECT_EQ(scheduler.add_dependencies(task, {&blocking.waits_for, 1}), Status::ok);
  }
  return Outcome::blocked;
}

TEST(TaskScheduler, ABlockedTaskRunsAgainAfterTheNextReady) {
  TaskScheduler scheduler({.tasks = 1});
  Blocking blocking;
  const Handle task = made(scheduler, {&block_until, &blocking});
  EXPECT_EQ(scheduler.ready(task), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(blocking.runs, 1);
  EXPECT_EQ(scheduler.free({&task, 1}).status, Status::started);
  EXPECT_EQ(scheduler.ready(task), Status::ok);
  EXPECT_EQ(scheduler.ready(task), Status::already);
  run_all(scheduler);
  EXPECT_EQ(blocking.runs, 2);
  EXPECT_EQ(scheduler.ready(task), Status::stale);
}

TEST(TaskScheduler, B7ATaskMadeReadyWhileItRunsRunsOnceMore) {
  TaskScheduler scheduler({.tasks = 1});
  Blocking blocking{.until = 2, .tells_itself = true};
  EXPECT_EQ(scheduler.ready(made(scheduler, {&block_until, &blocking})), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(blocking.runs, 2);
}

TEST(TaskScheduler, ATaskMayAddADependencyWhileItRuns) {
  TaskScheduler scheduler({.tasks = 2, .dependencies = 1});
  base::atomic<int> runs{0};
  Blocking blocking{.until = 2, .waits_for = made(scheduler, {&count, &runs})};
  EXPECT_EQ(scheduler.ready(made(scheduler, {&block_until, &blocking})), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(blocking.runs, 1);
  EXPECT_EQ(scheduler.ready(blocking.waits_for), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(blocking.runs, 2);
  EXPECT_EQ(runs, 1);
}

TEST(TaskScheduler, ATaskMadeReadyAndGivenADependencyRunsOnceAfterIt) {
  TaskScheduler scheduler({.tasks = 2, .dependencies = 1});
  base::atomic<int> runs{0};
  Blocking blocking{.until = 3, .tells_itself = true};
  blocking.waits_for = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.ready(made(scheduler, {&block_until, &blocking})), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(blocking.runs, 1);
  blocking.tells_itself = false;
  EXPECT_EQ(scheduler.ready(blocking.waits_for), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(blocking.runs, 3);  // the dependency had finished before it was added again
}

// ---- Room

TEST(TaskScheduler, UsesAllRoomAndThenReportsFull) {
  TaskScheduler scheduler({.tasks = 5, .dependencies = 3});
  base::atomic<int> runs{0};
  std::vector<Spec> specs(5, {&count, &runs});
  std::vector<Handle> tasks(5);
  std::vector<Handle> too_many(6);
  EXPECT_EQ(scheduler.create(std::vector<Spec>(6, specs[0]), too_many), Status::full);
  EXPECT_EQ(scheduler.create(specs, tasks), Status::ok);
  Handle one{.index = 1, .generation = 1};
  EXPECT_EQ(scheduler.create({&specs[0], 1}, {&one, 1}), Status::full);
  EXPECT_EQ(one, Handle{});
  const std::span all(tasks);
  EXPECT_EQ(scheduler.add_dependencies(tasks[0], all.subspan(1, 4)), Status::full);
  EXPECT_EQ(scheduler.add_dependencies(tasks[0], all.subspan(1, 3)), Status::ok);
  EXPECT_EQ(scheduler.add_dependencies(tasks[0], all.subspan(4, 1)), Status::full);
  EXPECT_TRUE(scheduler.ready(all.subspan(1)));
  run_all(scheduler);
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(scheduler.create(specs, tasks), Status::ok);
  EXPECT_EQ(scheduler.add_dependencies(tasks[4], all.first(3)), Status::ok);
}

TEST(TaskScheduler, B10FreeingATaskWithDependentsIsRefused) {
  TaskScheduler scheduler({.tasks = 2, .dependencies = 2});
  base::atomic<int> runs{0};
  const Handle first = made(scheduler, {&count, &runs});
  const Handle second = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.add_dependencies(second, {&first, 1}), Status::ok);
  EXPECT_EQ(scheduler.free({&first, 1}).status, Status::has_dependents);
  const std::array<Handle, 2> both = {second, first};
  EXPECT_TRUE(scheduler.free(both));
  EXPECT_EQ(scheduler.free(both).status, Status::stale);
  run_all(scheduler);
  EXPECT_EQ(runs, 0);
  std::array<Handle, 2> again;
  EXPECT_EQ(scheduler.create({{&count, &runs}, {&count, &runs}}, again), Status::ok);
  EXPECT_EQ(scheduler.add_dependencies(again[0], {&again[1], 1}), Status::ok);
}

TEST(TaskScheduler, AFreedTaskIsNotStartedByItsDependencies) {
  TaskScheduler scheduler({.tasks = 2, .dependencies = 1});
  base::atomic<int> runs{0};
  const Handle first = made(scheduler, {&count, &runs});
  const Handle second = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.add_dependencies(second, {&first, 1}), Status::ok);
  EXPECT_TRUE(scheduler.free({&second, 1}));
  const Handle other = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.ready(first), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(scheduler.add_dependencies(other, {&first, 1}), Status::ok);  // the edge is free again
  run_all(scheduler);
  EXPECT_EQ(runs, 2);
}

TEST(TaskScheduler, AllocatesNothingAfterItsConstruction) {
  TaskScheduler scheduler({.tasks = 64, .dependencies = 64, .channels = 2});
  base::atomic<int> runs{0};
  std::vector<Spec> specs(32, {&count, &runs, 1});
  std::vector<Handle> tasks(32);
  const std::span all(tasks);
  const rt::Allocations::Refusal refusal;
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(scheduler.create(specs, tasks), Status::ok);
    ASSERT_EQ(scheduler.add_dependencies(tasks[0], all.subspan(1)), Status::ok);
    ASSERT_TRUE(scheduler.ready(all.subspan(1)));
    while (scheduler.execute(0, 7) != 0) {
    }
  }
  EXPECT_EQ(runs, 3200);
}

// ---- Memory

TEST(TaskScheduler, B4B13SizesAreCheckedAndMisalignedMemoryIsRefused) {
  EXPECT_FALSE(TaskScheduler::memory_size({.tasks = 0}));
  EXPECT_FALSE(TaskScheduler::memory_size({.tasks = 0xffffffff}));
  EXPECT_FALSE(TaskScheduler::memory_size({.tasks = 1, .channels = 0}));
  EXPECT_FALSE(TaskScheduler::memory_size({.tasks = 1, .channels = 257}));
  EXPECT_GT(TaskScheduler::memory_size({.tasks = 0xfffffff0, .dependencies = 0xfffffff0}),
            std::size_t{0xfffffff0} * 40);
  for (const std::uint32_t tasks : {1U, 2U, 3U, 17U}) {
    for (const std::uint32_t dependencies : {0U, 1U, 2U, 9U}) {
      for (const unsigned channels : {1U, 2U, 5U, 256U}) {
        const Options options{.tasks = tasks,
                              .dependencies = dependencies,
                              .channels = channels,
                              .named = tasks % 2 == 0,
                              .aligned_channels = dependencies % 2 == 0};
        const std::size_t size = *TaskScheduler::memory_size(options);
        const std::unique_ptr<std::byte[]> memory(
            new std::byte[size + 2 * TaskScheduler::kAlignment]);
        void* at = memory.get();
        std::size_t room = size + TaskScheduler::kAlignment;
        auto* const aligned =
            static_cast<std::byte*>(std::align(TaskScheduler::kAlignment, size, at, room));
        for (std::size_t off = 1; off < 8; ++off) {
          EXPECT_THROW(TaskScheduler(options, {aligned + off, size}), base::Error);
        }
        EXPECT_THROW(TaskScheduler(options, {aligned, size - 1}), base::Error);
        TaskScheduler scheduler(options, {aligned, size});
        base::atomic<int> runs{0};
        const Handle task = made(scheduler, {&count, &runs, channels - 1});
        EXPECT_EQ(scheduler.ready(task), Status::ok);
        run_all(scheduler);
        EXPECT_EQ(runs, 1);
      }
    }
  }
}

TEST(TaskScheduler, RefusesInvalidArguments) {
  TaskScheduler scheduler({.tasks = 2, .dependencies = 2});
  base::atomic<int> runs{0};
  Handle task;
  const Spec nobody{nullptr, nullptr};
  const Spec nowhere{&count, &runs, 1};
  EXPECT_EQ(scheduler.create({&nobody, 1}, {&task, 1}), Status::invalid);
  EXPECT_EQ(scheduler.create({&nowhere, 1}, {&task, 1}), Status::invalid);
  EXPECT_EQ(scheduler.create({&nowhere, 1}, {}), Status::invalid);
  EXPECT_EQ(scheduler.spawn(nobody), Status::invalid);
  EXPECT_EQ(scheduler.spawn(nowhere), Status::invalid);
  EXPECT_EQ(scheduler.spawn(std::span<const Spec>()), Status::ok);
  const Handle far{.index = 2, .generation = 1};
  for (const Handle none : {Handle{}, far}) {
    EXPECT_EQ(scheduler.ready(none), Status::stale);
    EXPECT_EQ(scheduler.free({&none, 1}).status, Status::stale);
    EXPECT_EQ(scheduler.set_channel({&none, 1}, 0).status, Status::stale);
    EXPECT_EQ(scheduler.add_dependencies(none, {&none, 1}), Status::stale);
    EXPECT_EQ(scheduler.name(none), nullptr);
  }
  task = made(scheduler, {&count, &runs});
  EXPECT_EQ(scheduler.add_dependencies(task, {&far, 1}), Status::stale);
  EXPECT_EQ(scheduler.ready(task), Status::ok);
  EXPECT_EQ(scheduler.add_dependencies(task, {&task, 1}), Status::invalid);
}

// ---- Inspection

TEST(TaskScheduler, ATaskThatReadiesItselfDoesNotDelayOthersInItsLine) {
  TaskScheduler scheduler({.tasks = 2});
  Blocking blocking{.until = 1000, .tells_itself = true};
  base::atomic<int> runs{0};
  EXPECT_EQ(scheduler.ready(made(scheduler, {&block_until, &blocking})), Status::ok);
  EXPECT_EQ(scheduler.ready(made(scheduler, {&count, &runs})), Status::ok);
  EXPECT_EQ(scheduler.execute_line(0, 1000), 1U);
  EXPECT_EQ(scheduler.execute_line(0, 1000), 1U);
  EXPECT_EQ(runs, 1);
}

struct Maker {
  int left;
  int failed = 0;
};

Outcome make_next(TaskScheduler& scheduler, Handle task, void* context) noexcept {
  auto& maker = *static_cast<Maker*>(context);
  if (--maker.left == 0) return Outcome::done;
  Handle next;
  const Spec spec{&make_next, &maker};
  if (scheduler.create({&spec, 1}, {&next, 1}) != Status::ok) ++maker.failed;
  EXPECT_EQ(scheduler.add_dependencies(next, {&task, 1}), Status::ok);
  return Outcome::done;
}

TEST(TaskScheduler, ALineFreesEachPlaceBeforeItContinues) {
  TaskScheduler scheduler({.tasks = 2, .dependencies = 1});
  Maker maker{.left = 30};
  EXPECT_EQ(scheduler.ready(made(scheduler, {&make_next, &maker})), Status::ok);
  EXPECT_EQ(scheduler.execute_line(0, 64), 30U);
  EXPECT_EQ(maker.failed, 0);
}

TEST(TaskScheduler, NamesTheTasksOfACycle) {
  TaskScheduler scheduler({.tasks = 5, .dependencies = 5, .named = true});
  std::array<Handle, 5> tasks;
  ASSERT_EQ(scheduler.create({{&count, nullptr, 0, "a"},
                              {&count, nullptr, 0, "b"},
                              {&count, nullptr, 0, "c"},
                              {&count, nullptr, 0, "behind"},
                              {&count, nullptr, 0, "before"}},
                             tasks),
            Status::ok);
  const auto wait = [&](int task, int on) {
    ASSERT_EQ(scheduler.add_dependencies(tasks.at(task), {&tasks.at(on), 1}), Status::ok);
  };
  wait(0, 1);
  wait(1, 2);
  wait(3, 0);
  wait(1, 4);
  EXPECT_TRUE(scheduler.find_cycle().empty());
  wait(2, 0);
  std::vector<std::string> names;
  for (const Handle task : scheduler.find_cycle()) names.emplace_back(scheduler.name(task));
  const auto a = std::find(names.begin(), names.end(), "a");
  ASSERT_NE(a, names.end());
  std::rotate(names.begin(), a, names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(TaskScheduler, CallsOnReadyOncePerRangeOfAChannel) {
  Calls calls;
  TaskScheduler scheduler(
      {.tasks = 6, .dependencies = 1, .channels = 2, .on_ready = {&note, &calls}});
  base::atomic<int> runs{0};
  std::vector<Handle> tasks;
  for (const unsigned channel : {0U, 0U, 1U, 1U, 1U, 0U}) {
    tasks.push_back(made(scheduler, {&count, &runs, channel}));
  }
  EXPECT_EQ(scheduler.add_dependencies(tasks[5], {&tasks[0], 1}), Status::ok);
  EXPECT_TRUE(scheduler.ready(std::span(tasks).first(5)));
  EXPECT_EQ(calls.all, (std::vector<std::pair<unsigned, std::uint32_t>>{{0, 2}, {1, 3}}));
  EXPECT_TRUE(scheduler.execute_one(0));
  EXPECT_EQ(calls.all.size(), 3U);
  EXPECT_EQ(calls.all.back(), (std::pair<unsigned, std::uint32_t>{0, 1}));
}

// ---- Copying

TEST(TaskScheduler, B11ACopyRunsTheSameGraphWithItsOwnCallback) {
  Calls calls, own_calls;
  const Options options{.tasks = 4, .dependencies = 4, .channels = 2, .on_ready = {&note, &calls}};
  Options own = options;
  own.on_ready = {&note, &own_calls};
  TaskScheduler scheduler(options);
  TaskScheduler copy(own);
  base::atomic<int> runs{0};
  const Handle first = made(scheduler, {&count, &runs});
  const Handle second = made(scheduler, {&count, &runs, 1});
  EXPECT_EQ(scheduler.add_dependencies(second, {&first, 1}), Status::ok);
  EXPECT_EQ(scheduler.ready(first), Status::ok);
  for (int round = 1; round <= 3; ++round) {
    ASSERT_EQ(copy.copy_from(scheduler), Status::ok);
    run_all(copy);
    EXPECT_EQ(runs, 2 * round);
    EXPECT_EQ(own_calls.all.size(), 2U * static_cast<std::size_t>(round));  // copied, fulfilled
  }
  EXPECT_EQ(calls.all.size(), 1U);
  run_all(scheduler);
  EXPECT_EQ(runs, 8);
  TaskScheduler other({.tasks = 5, .dependencies = 4, .channels = 2});
  EXPECT_EQ(other.copy_from(scheduler), Status::invalid);
}

TEST(TaskScheduler, B11ACopyHasReadyTasksInTheSameChannels) {
  const Options options{.tasks = 3, .channels = 100};
  TaskScheduler scheduler(options);
  TaskScheduler copy(options);
  base::atomic<int> runs{0};
  const std::array<Handle, 2> tasks = {made(scheduler, {&count, &runs, 7}),
                                       made(scheduler, {&count, &runs, 99})};
  EXPECT_TRUE(scheduler.ready(tasks));
  EXPECT_EQ(scheduler.spawn({&count, &runs, 50}), Status::ok);
  ASSERT_EQ(copy.copy_from(scheduler), Status::ok);
  run_all(copy);
  EXPECT_EQ(runs, 3);
  run_all(scheduler);
  ASSERT_EQ(copy.copy_from(scheduler), Status::ok);
  EXPECT_FALSE(copy.has_ready());
}

struct Copying {
  TaskScheduler* copy;
  Status status = Status::ok;
};

Outcome copy_meanwhile(TaskScheduler& scheduler, Handle /*task*/, void* context) noexcept {
  auto& copying = *static_cast<Copying*>(context);
  copying.status = copying.copy->copy_from(scheduler);
  return Outcome::done;
}

TEST(TaskScheduler, B11ACopyWhileATaskRunsIsRefused) {
  TaskScheduler scheduler({.tasks = 3});
  TaskScheduler copy({.tasks = 3});
  Copying copying{.copy = &copy};
  EXPECT_EQ(scheduler.ready(made(scheduler, {&copy_meanwhile, &copying})), Status::ok);
  run_all(scheduler);
  EXPECT_EQ(copying.status, Status::busy);
  std::vector<Handle> tasks(3);
  EXPECT_EQ(copy.create(std::vector<Spec>(3, {&count, nullptr}), tasks), Status::ok);
}

}  // namespace
}  // namespace fathom::sched

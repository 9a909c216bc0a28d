// TaskScheduler: creating tasks, dependencies as lock-free lists of edges, and running.

#include "fathom/sched/task_scheduler.h"

#include <algorithm>
#include <utility>

#include "fathom/base/prefetch.h"
#include "free_range.h"
#include "ready_range.h"
#include "scheduler_memory.h"

namespace fathom::sched {

// ---- Creation

inline bool TaskScheduler::can_run(std::span<const Spec> specs) const noexcept {
  for (const Spec& spec : specs) {
    if (spec.body == nullptr || spec.channel >= options_.channels) return false;
  }
  return true;
}

TaskScheduler::Status TaskScheduler::create(std::span<const Spec> specs,
                                            std::span<Handle> tasks) noexcept {
  Status status = Status::ok;
  std::uint32_t place = kNoIndex;
  if (specs.size() != tasks.size() || !can_run(specs)) {
    status = Status::invalid;
  } else if (!specs.empty() && !take_places(specs.front().channel, specs.size(), place)) {
    status = Status::full;
  }
  if (status != Status::ok) {
    std::fill(tasks.begin(), tasks.end(), Handle{});
    return status;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::uint32_t next = task_links_[place].load(base::memory_order_relaxed);
    tasks[i] = make(std::exchange(place, next), specs[i]);
  }
  expect(place);
  return Status::ok;
}

TaskScheduler::Status TaskScheduler::spawn(std::span<const Spec> specs) noexcept {
  if (!can_run(specs)) return Status::invalid;
  if (specs.empty()) return Status::ok;
  std::uint32_t place = kNoIndex;
  if (!take_places(specs.front().channel, specs.size(), place)) return Status::full;
  spawn_in(place, specs);
  return Status::ok;
}

void TaskScheduler::spawn_in(std::uint32_t& place, std::span<const Spec> specs) noexcept {
  ReadyRange range(*this);
  for (const Spec& spec : specs) {
    const std::uint32_t task = place;
    place = task_links_[task].load(base::memory_order_relaxed);
    write(task, spec, {state_at(task).generation, Phase::ready}, kSpawned);
    range.push(task);
  }
  expect(place);
}

// Creates a task in a place that was taken.
inline TaskScheduler::Handle TaskScheduler::make(std::uint32_t place, const Spec& spec) noexcept {
  const std::uint32_t generation = state_at(place).generation;
  write(place, spec, {generation, Phase::created}, kNoIndex);
  return {.index = place, .generation = generation};
}

inline void TaskScheduler::write(std::uint32_t place, const Spec& spec, const TaskState& state,
                                 std::uint32_t first_edge) noexcept {
  Record& record = records_[place];
  record.body.store(spec.body, base::memory_order_relaxed);
  record.context.store(spec.context, base::memory_order_relaxed);
  // [K2] release: a thread that waits for the previous task of this place also sees that task's
  // effects; and a thread that copies the list sees the body.
  record.dependents.store(dependents_of(state.generation, first_edge), base::memory_order_release);
  task_channels_[place].store(static_cast<std::uint8_t>(spec.channel), base::memory_order_relaxed);
  if (names_ != nullptr) names_[place].store(spec.name, base::memory_order_relaxed);
  // Threads that have the handle got it from here, and therefore see what was written before.
  record.state.store(word_of(state), base::memory_order_relaxed);
}

bool TaskScheduler::take_places(unsigned channel, std::size_t count,
                                std::uint32_t& first) noexcept {
  if (count == 1) {  // the compiler knows how many to take
    first = free_tasks().pop_chain(channel, 1);
  } else {
    if (count > options_.tasks) return false;
    first =
        count > 0 ? free_tasks().pop_chain(channel, static_cast<std::uint32_t>(count)) : kNoIndex;
  }
  return first != kNoIndex;
}

TaskScheduler::Handle TaskScheduler::create_in(std::uint32_t& place, const Spec& spec) noexcept {
  const std::uint32_t next = task_links_[place].load(base::memory_order_relaxed);
  return make(std::exchange(place, next), spec);
}

// The next call will probably take this place (kNoIndex: none): fetch what it writes first. Another
// thread wrote it last, and would otherwise be waited for.
[[gnu::always_inline]] inline void TaskScheduler::expect(std::uint32_t place) const noexcept {
  if (place == kNoIndex) return;
  base::prefetch_to_write(&records_[place]);
  base::prefetch_to_write(&task_links_[place]);
}

TaskScheduler::Status TaskScheduler::add_dependencies(Handle task,
                                                      std::span<const Handle> on) noexcept {
  return add_each(task, on.size(), [on](std::size_t i) { return on[i]; });
}

TaskScheduler::Status TaskScheduler::add_dependencies(Handle task, const void* on,
                                                      Handle (*at)(const void* tasks, std::size_t),
                                                      std::size_t count) noexcept {
  return add_each(task, count, [on, at](std::size_t i) { return at(on, i); });
}

// on(i) is the i-th dependency.
template <class On>
TaskScheduler::Status TaskScheduler::add_each(Handle task, std::size_t size,
                                              const On& on) noexcept {
  if (!exists(task)) return Status::stale;
  bool possible = true;
  for (std::size_t i = 0; i < size; ++i) {
    const Handle dependency = on(i);
    if (!exists(dependency)) return Status::stale;
    if (dependency == task || is_spawned(dependency)) possible = false;
  }
  if (!possible) return Status::invalid;
  if (size == 0) return is_live(task) ? Status::ok : Status::stale;
  if (size > std::min(options_.dependencies, kMostPending)) return Status::full;
  const auto count = static_cast<std::uint32_t>(size);
  std::uint32_t edge = kNoIndex;  // the first of a linked list of `count` edges
  const auto keep_first = [&edge](std::uint32_t i, std::uint32_t number) {
    if (i == 0) edge = number;
  };
  if (free_edges().pop(count, count, keep_first) == 0) return Status::full;

  FreeRange unused(free_edges(), edge_links_);
  const Status status = add_pending(task, count);
  std::uint32_t finished = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t next = edge_links_[edge].load(base::memory_order_relaxed);
    if (status != Status::ok || !add_edge(edge, task, on(i))) {
      unused.add(edge);
      ++finished;
    }
    edge = next;
  }
  if (status == Status::ok && finished > 0 && fulfil(task, finished)) {
    ReadyRange(*this).add(task.index);
  }
  return status;
}

TaskScheduler::Status TaskScheduler::add_pending(Handle task, std::uint32_t count) noexcept {
  Word& word = records_[task.index].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  for (;;) {
    TaskState state = state_of(seen);
    if (state.generation != task.generation || state.phase == Phase::free) return Status::stale;
    if (state.phase == Phase::ready) return Status::started;
    if (state.pending + count > kMostPending) return Status::full;
    state.pending += count;
    if (word.compare_exchange_weak(seen, word_of(state), base::memory_order_relaxed,
                                   base::memory_order_relaxed)) {
      return Status::ok;
    }
  }
}

// Adds the task to the dependents of `on`; returns whether `on` has not finished.
bool TaskScheduler::add_edge(std::uint32_t edge, Handle task, Handle on) noexcept {
  edges_[edge].index.store(task.index, base::memory_order_relaxed);
  edges_[edge].generation.store(task.generation, base::memory_order_relaxed);
  Word& dependents = records_[on.index].dependents;
  // [K2] acquire: pairs with the release in close(), for what the dependency did.
  std::uint64_t seen = dependents.load(base::memory_order_acquire);
  while (generation_in(seen) == on.generation && first_in(seen) != kClosed) {
    edge_links_[edge].store(first_in(seen), base::memory_order_relaxed);
    // [K3] release: pairs with the acquire in close(), for the edge. Later edges in the list were
    // released by their own additions, whose release sequences this one continues.
    if (dependents.compare_exchange_weak(seen, dependents_of(on.generation, edge),
                                         base::memory_order_release,
                                         base::memory_order_acquire)) {  // [K2]
      return true;
    }
  }
  return false;
}

// Subtracts finished dependencies; returns whether the caller must now push the task to the ready
// tasks.
bool TaskScheduler::fulfil(Handle task, std::uint32_t count) noexcept {
  Word& word = records_[task.index].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  for (;;) {
    TaskState state = state_of(seen);
    if (state.generation != task.generation) return false;  // freed, or finished without waiting
    state.pending -= count;
    bool ready = false;
    if (state.pending == 0) {
      ready = state.phase != Phase::running;
      state.run_again = !ready;
      if (ready) state.phase = Phase::ready;
    }
    // [K4] acq_rel: each thread that fulfils a dependency passes what it knows to the last one,
    // which makes the task ready.
    if (word.compare_exchange_weak(seen, word_of(state), base::memory_order_acq_rel,
                                   base::memory_order_relaxed)) {
      return ready;
    }
  }
}

TaskScheduler::Result TaskScheduler::ready(std::span<const Handle> tasks) noexcept {
  ReadyRange range(*this);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    bool queued = false;
    const Status status = make_ready(tasks[i], queued);
    if (status != Status::ok) return {status, i};
    if (queued) range.push(tasks[i].index);
  }
  return {Status::ok, tasks.size()};
}

[[gnu::always_inline]] inline TaskScheduler::Status TaskScheduler::make_ready(
    Handle task, bool& queued) noexcept {
  if (!exists(task)) return Status::stale;
  // Usually it has been created and nothing else: then this thread is the only one to push it, and
  // [K1] is all the order that it needs.
  std::uint64_t seen = word_of({.generation = task.generation, .phase = Phase::created});
  const std::uint64_t ready = word_of({.generation = task.generation, .phase = Phase::ready});
  if (records_[task.index].state.compare_exchange_strong(seen, ready, base::memory_order_relaxed,
                                                         base::memory_order_relaxed)) {
    queued = true;
    return Status::ok;
  }
  return make_ready_again(task, seen, queued);
}

// The same, if the task waits or has run before. `seen` is its state.
TaskScheduler::Status TaskScheduler::make_ready_again(Handle task, std::uint64_t seen,
                                                      bool& queued) noexcept {
  Word& word = records_[task.index].state;
  for (;;) {
    TaskState state = state_of(seen);
    if (state.generation != task.generation || state.phase == Phase::free) return Status::stale;
    if (state.phase == Phase::ready || state.run_again) return Status::already;
    if (state.pending > 0) return Status::waiting;
    queued = state.phase != Phase::running;
    state.run_again = !queued;
    if (queued) state.phase = Phase::ready;
    // [K4] acq_rel: passes on what came before ready(), and takes over what a blocked body did.
    if (word.compare_exchange_weak(seen, word_of(state), base::memory_order_acq_rel,
                                   base::memory_order_relaxed)) {
      return Status::ok;
    }
  }
}

TaskScheduler::Result TaskScheduler::set_channel(std::span<const Handle> tasks,
                                                 unsigned channel) noexcept {
  if (channel >= options_.channels) return {Status::invalid, 0};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Status status = not_ready(tasks[i]);
    if (status != Status::ok) return {status, i};
    task_channels_[tasks[i].index].store(static_cast<std::uint8_t>(channel),
                                         base::memory_order_relaxed);
  }
  return {Status::ok, tasks.size()};
}

TaskScheduler::Result TaskScheduler::free(std::span<const Handle> tasks) noexcept {
  FreeRange freed(free_tasks().list(0), task_links_);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Status status = not_started(tasks[i]);
    if (status != Status::ok) return {status, i};
    const std::uint32_t task = tasks[i].index;
    bool has_dependents = false;
    for_each_dependent(task, [&](Handle /*waiting*/) { has_dependents = true; });
    if (has_dependents) return {Status::has_dependents, i};
    if (!revoke(tasks[i])) return {not_started(tasks[i]), i};
    give_back_edges(close(task, tasks[i].generation), [](Handle /*gone*/) {});
    freed.add(task);
  }
  return {Status::ok, tasks.size()};
}

// Frees a task that has not started; returns whether it did. Its dependencies may finish meanwhile
// and start it; the place may then even belong to another task.
bool TaskScheduler::revoke(Handle task) noexcept {
  Word& word = records_[task.index].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  while (seen == word_of({.generation = task.generation,
                          .phase = Phase::created,
                          .pending = state_of(seen).pending})) {
    const TaskState ended = {.generation = next_generation(task.generation)};
    if (word.compare_exchange_weak(seen, word_of(ended), base::memory_order_relaxed,
                                   base::memory_order_relaxed))
      return true;
  }
  return false;
}

// ---- Execution

std::uint32_t TaskScheduler::execute(unsigned channel, std::uint32_t most, From from) noexcept {
  if (channel >= options_.channels) return 0;
  if (most == 1) return execute_next(channel, from);
  std::uint32_t taken[kMostAtOnce];
  const std::uint32_t count = take(channel, std::min(most, kMostAtOnce), from, taken);
  if (count == 0) return 0;
  // The records are probably in another core's cache: fetch all of them at the same time.
  for (std::uint32_t i = 0; i < count; ++i) base::prefetch_to_write(&records_[taken[i]]);
  ReadyRange ready(*this);
  FreeRange freed(free_tasks().list(channel), task_links_);
  for (std::uint32_t i = 0; i < count; ++i) run(taken[i], ready, freed);
  return count;
}

// The same for one task.
[[gnu::always_inline]] inline std::uint32_t TaskScheduler::execute_next(unsigned channel,
                                                                        From from) noexcept {
  std::uint32_t task = kNoIndex;
  if (take(channel, 1, from, &task) == 0) return 0;
  base::prefetch_to_write(&records_[task]);
  expect(task_links_[task].load(base::memory_order_relaxed));
  ReadyRange ready(*this);
  FreeRange freed(free_tasks().list(channel), task_links_);
  run(task, ready, freed);
  return 1;
}

std::uint32_t TaskScheduler::execute_line(unsigned channel, std::uint32_t most,
                                          From from) noexcept {
  std::uint32_t task = kNoIndex;
  if (channel >= options_.channels || take(channel, std::min(most, 1U), from, &task) == 0) return 0;
  ReadyRange ready(*this);
  for (std::uint32_t count = 1;; ++count) {
    if (count < std::min(most, kMostAtOnce)) ready.keep_one_of(channel_of(task));
    FreeRange freed(free_tasks().list(channel), task_links_);
    run(task, ready, freed);
    task = ready.take_kept();
    if (task == kNoIndex) return count;
  }
}

bool TaskScheduler::has_ready() const noexcept {
  return ready_channels().find(0, [this](unsigned c) { return !ready_tasks(c).empty(); });
}

[[gnu::always_inline]] inline std::uint32_t TaskScheduler::take(unsigned channel,
                                                                std::uint32_t most, From from,
                                                                std::uint32_t* taken) noexcept {
  if (most == 0) return 0;
  const std::uint32_t count = take_from(channel, most, taken);
  if (count > 0 || from == From::this_channel || options_.channels == 1) return count;
  return take_from_others(channel, most, taken);
}

[[gnu::always_inline]] inline std::uint32_t TaskScheduler::take_from(
    unsigned channel, std::uint32_t most, std::uint32_t* taken) noexcept {
  return ready_tasks(channel).pop(
      most, [taken](std::uint32_t i, std::uint32_t task) { taken[i] = task; });
}

namespace {

// So many empty channels may delay a search that finds a task in another one.
constexpr unsigned kFewLooks = 4;

}  // namespace

std::uint32_t TaskScheduler::take_from_others(unsigned channel, std::uint32_t most,
                                              std::uint32_t* taken) noexcept {
  std::uint32_t count = 0;
  unsigned in_vain = 0;
  const unsigned next = channel + 1 == options_.channels ? 0 : channel + 1;
  ready_channels().find(next, [&](unsigned other) {
    if (other == channel) return false;
    count = take_from(other, most, taken);
    if (count == 0) ++in_vain;
    return count > 0;
  });
  // A thread that found a task has better things to do, unless it looked for long.
  if (in_vain > (count > 0 ? kFewLooks : 0)) {
    ready_channels().forget([this](unsigned c) { return ready_tasks(c).empty_in_order(); });
  }
  return count;
}

[[gnu::always_inline]] inline void TaskScheduler::run(std::uint32_t task, ReadyRange& ready,
                                                      FreeRange<TwoStacks>& freed) noexcept {
  Record& record = records_[task];
  // No other call changes the state of a ready task: it waits for nothing.
  const std::uint32_t generation = state_at(task).generation;
  record.state.store(word_of({.generation = generation, .phase = Phase::running}),
                     base::memory_order_relaxed);
  const Body body = record.body.load(base::memory_order_relaxed);
  void* const context = record.context.load(base::memory_order_relaxed);
  const Handle self = {.index = task, .generation = generation};
  const Outcome outcome =
      invoke_ == nullptr ? body(*this, self, context) : invoke_(*this, body, self, context);
  if (outcome == Outcome::blocked) {
    if (block(task)) ready.push(task);
  } else {
    finish(task, generation, ready);
    freed.add(task);
  }
  // Publish them before the next task runs.
  ready.flush();
}

// Returns whether the task is ready again.
bool TaskScheduler::block(std::uint32_t task) noexcept {
  Word& word = records_[task].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  for (;;) {
    TaskState state = state_of(seen);
    // If it has pending dependencies, it runs again after them anyway.
    const bool again = std::exchange(state.run_again, false) && state.pending == 0;
    state.phase = again ? Phase::ready : Phase::blocked;
    // [K4] acq_rel: passes what the body did to the thread that makes the task ready; takes over
    // what came before a ready() during the run.
    if (word.compare_exchange_weak(seen, word_of(state), base::memory_order_acq_rel,
                                   base::memory_order_relaxed)) {
      return again;
    }
  }
}

[[gnu::always_inline]] inline void TaskScheduler::finish(std::uint32_t task,
                                                         std::uint32_t generation,
                                                         ReadyRange& ready) noexcept {
  const std::uint32_t first = close(task, generation);
  if (!is_edge(first)) return;
  give_back_edges(first, [&](Handle waiting) {
    if (fulfil(waiting, 1)) ready.add(waiting.index);
  });
}

// Calls f(handle) for the task at the end of each edge of a finished task, then frees the edges.
template <class F>
void TaskScheduler::give_back_edges(std::uint32_t first, const F& f) noexcept {
  std::uint32_t last = kNoIndex;
  for (std::uint32_t edge = first; is_edge(edge);) {
    f(end_of(edge));
    last = std::exchange(edge, edge_links_[edge].load(base::memory_order_relaxed));
  }
  if (last != kNoIndex) free_edges().push(first, last);
}

// Closes the task: nothing can depend on it any more, and its handle is stale. Returns its first
// edge.
[[gnu::always_inline]] inline std::uint32_t TaskScheduler::close(
    std::uint32_t task, std::uint32_t generation) noexcept {
  Record& record = records_[task];
  const std::uint64_t closed = dependents_of(generation, kClosed);
  std::uint32_t first = first_in(record.dependents.load(base::memory_order_relaxed));
  // [K2] release: the task's effects are visible to threads that find it finished. [K3] acquire:
  // the edges. Nobody adds an edge to a spawned task.
  if (first == kSpawned) {
    record.dependents.store(closed, base::memory_order_release);
  } else {
    first = first_in(record.dependents.exchange(closed, base::memory_order_acq_rel));  // [K3]
  }
  record.state.store(word_of({.generation = next_generation(generation)}),
                     base::memory_order_relaxed);
  return first;
}

// ---- Inspection

TaskScheduler::Status TaskScheduler::not_started(Handle task) const noexcept {
  if (!exists(task)) return Status::stale;
  const TaskState state = state_at(task.index);
  if (state.generation != task.generation || state.phase == Phase::free) return Status::stale;
  return state.phase == Phase::created ? Status::ok : Status::started;
}

TaskScheduler::Status TaskScheduler::not_ready(Handle task) const noexcept {
  if (!exists(task)) return Status::stale;
  const TaskState state = state_at(task.index);
  if (state.generation != task.generation || state.phase == Phase::free) return Status::stale;
  return state.phase != Phase::ready ? Status::ok : Status::started;
}

const char* TaskScheduler::name(Handle task) const noexcept {
  if (names_ == nullptr || !exists(task) || !is_live(task)) return nullptr;
  return names_[task.index].load(base::memory_order_relaxed);
}

}  // namespace fathom::sched

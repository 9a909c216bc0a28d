// The contents of a TaskScheduler's memory, and access to them. Only the scheduler's own files
// include this.

#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "dependents.h"
#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/sched/task_scheduler.h"
#include "free_places.h"
#include "index_stack.h"
#include "ready_channels.h"
#include "task_state.h"
#include "two_stacks.h"

namespace fathom::sched {

// The fields that a task needs first when it runs are adjacent.
struct TaskScheduler::Record {
  base::atomic<std::uint64_t> state{word_of({.generation = 1})};
  // The list of dependents: the generation, and the first edge.
  base::atomic<std::uint64_t> dependents{dependents_of(0, kClosed)};
  base::atomic<Body> body{nullptr};
  base::atomic<void*> context{nullptr};
};

// An edge from a dependency to the task that waits for it.
struct TaskScheduler::Edge {
  base::atomic<std::uint32_t> index{0};
  base::atomic<std::uint32_t> generation{0};
};

struct alignas(base::kCacheLine) TaskScheduler::PaddedWord {
  Word word{0};
};

// The first words: the free edges, and which channels may have ready tasks. The words of the lists
// of free places are behind them.
struct TaskScheduler::Pools {
  static constexpr std::size_t size() {
    return (sizeof(Pools) + kAlignment - 1) / kAlignment * kAlignment;
  }

  alignas(base::kCacheLine) IndexStack::Head edges{IndexStack::kEmpty};
  alignas(base::kCacheLine) Word ready_channels[kMostChannels / ReadyChannels::kPerWord]{};
};

inline TaskScheduler::Pools& TaskScheduler::pools() const noexcept {
  return *std::launder(reinterpret_cast<Pools*>(memory_));
}

inline StackWords TaskScheduler::words_of_channel(unsigned channel) const noexcept {
  std::byte* const at = memory_ + channels_at_ + channel * channel_stride_;
  return {std::launder(reinterpret_cast<Word*>(at)), channel_word_};
}

inline StackWords TaskScheduler::words_of_free_tasks() const noexcept {
  return {&std::launder(reinterpret_cast<PaddedWord*>(memory_ + Pools::size()))->word,
          sizeof(PaddedWord)};
}

inline Contended TaskScheduler::contended() const noexcept {
  return options_.pauses ? Contended::pause : Contended::retry;
}

inline unsigned TaskScheduler::free_lists() const noexcept {
  return FreePlaces::lists_for(options_.channels);
}

inline FreePlaces TaskScheduler::free_tasks() const noexcept {
  return {words_of_free_tasks(), free_lists(), task_links_, contended()};
}

inline IndexStack TaskScheduler::free_edges() const noexcept {
  return {pools().edges, edge_links_, contended()};
}

inline TwoStacks TaskScheduler::ready_tasks(unsigned channel) const noexcept {
  return {words_of_channel(channel), task_links_, contended()};
}

inline ReadyChannels TaskScheduler::ready_channels() const noexcept {
  return {pools().ready_channels, options_.channels};
}

// ---- Access to tasks

inline TaskState TaskScheduler::state_at(std::uint32_t place) const noexcept {
  return state_of(records_[place].state.load(base::memory_order_relaxed));
}

inline bool TaskScheduler::exists(Handle task) const noexcept {
  return task.index < options_.tasks && task.generation != 0;
}

inline unsigned TaskScheduler::channel_of(std::uint32_t task) const noexcept {
  return task_channels_[task].load(base::memory_order_relaxed);
}

inline bool TaskScheduler::is_live(Handle task) const noexcept {
  const TaskState state = state_at(task.index);
  return state.generation == task.generation && state.phase != Phase::free;
}

inline bool TaskScheduler::is_spawned(Handle task) const noexcept {
  return records_[task.index].dependents.load(base::memory_order_relaxed) ==
         dependents_of(task.generation, kSpawned);
}

// The task that waits.
inline TaskScheduler::Handle TaskScheduler::end_of(std::uint32_t edge) const noexcept {
  return {.index = edges_[edge].index.load(base::memory_order_relaxed),
          .generation = edges_[edge].generation.load(base::memory_order_relaxed)};
}

// Calls f(handle) for each existing task that waits for this one.
template <class F>
void TaskScheduler::for_each_dependent(std::uint32_t task, const F& f) const {
  // [K3] acquire: pairs with the release in add_edge().
  const std::uint64_t dependents = records_[task].dependents.load(base::memory_order_acquire);
  for (std::uint32_t edge = first_in(dependents); is_edge(edge);
       edge = edge_links_[edge].load(base::memory_order_relaxed)) {
    if (is_live(end_of(edge))) f(end_of(edge));
  }
}

}  // namespace fathom::sched

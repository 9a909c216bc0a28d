// TaskScheduler: copying another scheduler, and checking that the copy is consistent.

#include <array>
#include <cstdint>
#include <optional>

#include "scheduler_memory.h"

namespace fathom::sched {

// Counts the contents of a scheduler. At rest each task and each edge is in exactly one place, no
// task is running, and the number of pending dependencies equals the number of unfinished ones.
class TaskScheduler::Census {
 public:
  explicit Census(const TaskScheduler& scheduler) noexcept : scheduler_(scheduler) {}

  bool is_whole() noexcept;
  // The number of ready tasks of a channel. nullopt if its stacks are inconsistent.
  [[nodiscard]] std::optional<std::uint64_t> ready_in(unsigned channel) const noexcept;

 private:
  bool count_tasks() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> tasks_in(const StackWords& words,
                                                      Phase phase) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> tasks_in(const Word& head, Phase phase) const noexcept;
  [[nodiscard]] std::uint64_t edges_from(std::uint32_t first) const noexcept;
  [[nodiscard]] std::uint64_t count_of(Phase phase) const noexcept {
    return in_phase_.at(static_cast<std::size_t>(phase));
  }

  const TaskScheduler& scheduler_;
  std::array<std::uint64_t, kPhases> in_phase_{};  // tasks
  std::uint64_t pending_ = 0;                      // pending dependencies of all tasks
  std::uint64_t edges_ = 0;
  std::uint64_t live_edges_ = 0;  // edges to existing tasks
};

bool TaskScheduler::Census::is_whole() noexcept {
  const Pools& free = scheduler_.pools();
  edges_ = edges_from(IndexStack::top_of(free.edges.load(base::memory_order_relaxed)));
  if (!count_tasks() || count_of(Phase::running) != 0 || pending_ != live_edges_ ||
      edges_ != scheduler_.options_.dependencies) {
    return false;
  }
  std::uint64_t ready = 0;
  for (unsigned channel = 0; channel < scheduler_.options_.channels; ++channel) {
    const auto more = ready_in(channel);
    if (!more) return false;
    ready += *more;
  }
  std::uint64_t free_places = 0;
  for (unsigned list = 0; list < scheduler_.free_lists(); ++list) {
    const auto more = tasks_in(scheduler_.words_of_free_tasks().group(list), Phase::free);
    if (!more) return false;
    free_places += *more;
  }
  return ready == count_of(Phase::ready) && free_places == count_of(Phase::free);
}

// Counts tasks by phase, and their edges. False if the data is inconsistent.
bool TaskScheduler::Census::count_tasks() noexcept {
  for (std::uint32_t task = 0; task < scheduler_.options_.tasks; ++task) {
    const TaskState state = scheduler_.state_at(task);
    ++in_phase_.at(static_cast<std::size_t>(state.phase));
    pending_ += state.pending;
    const std::uint64_t list =
        scheduler_.records_[task].dependents.load(base::memory_order_relaxed);
    const bool open = first_in(list) != kClosed && generation_in(list) == state.generation;
    if (open != (state.phase != Phase::free)) return false;
    if (!open) continue;
    // Checks first that the list ends: the links may be inconsistent.
    edges_ += edges_from(first_in(list));
    if (edges_ > scheduler_.options_.dependencies) return false;
    scheduler_.for_each_dependent(task, [this](Handle /*waiting*/) { ++live_edges_; });
  }
  return true;
}

std::optional<std::uint64_t> TaskScheduler::Census::ready_in(unsigned channel) const noexcept {
  return tasks_in(scheduler_.words_of_channel(channel), Phase::ready);
}

// The number of tasks in two stacks.
std::optional<std::uint64_t> TaskScheduler::Census::tasks_in(const StackWords& words,
                                                             Phase phase) const noexcept {
  const auto in_one = tasks_in(words.at(0), phase);
  const auto in_other = tasks_in(words.at(1), phase);
  if (!in_one || !in_other) return std::nullopt;
  return *in_one + *in_other;
}

// The number of tasks in a stack, each of which must be in the given phase; nullopt if one is not,
// or if there are too many.
std::optional<std::uint64_t> TaskScheduler::Census::tasks_in(const Word& head,
                                                             Phase phase) const noexcept {
  std::uint64_t count = 0;
  for (std::uint32_t task = IndexStack::top_of(head.load(base::memory_order_relaxed));
       task != kNoIndex; task = scheduler_.task_links_[task].load(base::memory_order_relaxed)) {
    if (scheduler_.state_at(task).phase != phase || ++count > scheduler_.options_.tasks) {
      return std::nullopt;
    }
  }
  return count;
}

// Stops counting at one more than can exist.
std::uint64_t TaskScheduler::Census::edges_from(std::uint32_t first) const noexcept {
  std::uint64_t count = 0;
  while (is_edge(first) && count <= scheduler_.options_.dependencies) {
    ++count;
    first = scheduler_.edge_links_[first].load(base::memory_order_relaxed);
  }
  return count;
}

namespace {

// [K5] acquire: for the data that belongs to the word.
template <class T>
void copy(base::atomic<T>& to, const base::atomic<T>& from) noexcept {
  to.store(from.load(base::memory_order_acquire), base::memory_order_relaxed);
}

}  // namespace

// Calls f(head) with accessors for each word of a scheduler that leads to tasks or edges.
template <class F>
void TaskScheduler::for_each_head(const F& f) const {
  for (unsigned word = 0; word < free_lists() * StackWords::kCount; ++word) {
    f([=](const TaskScheduler& of) -> Word& { return of.words_of_free_tasks().at(word); });
  }
  f([](const TaskScheduler& of) -> Word& { return of.pools().edges; });
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    for (unsigned word = 0; word < StackWords::kCount; ++word) {
      f([=](const TaskScheduler& of) -> Word& { return of.words_of_channel(channel).at(word); });
    }
  }
}

TaskScheduler::Status TaskScheduler::copy_from(const TaskScheduler& source) noexcept {
  if (&source == this || source.options_.tasks != options_.tasks ||
      source.options_.dependencies != options_.dependencies ||
      source.options_.channels != options_.channels) {
    return Status::invalid;
  }
  for_each_head([&](auto head) { copy(head(*this), head(source)); });
  for (std::uint32_t task = 0; task < options_.tasks; ++task) copy_task(task, source);
  for (std::uint32_t edge = 0; edge < options_.dependencies; ++edge) {
    copy(edges_[edge].index, source.edges_[edge].index);
    copy(edges_[edge].generation, source.edges_[edge].generation);
    copy(edge_links_[edge], source.edge_links_[edge]);
  }
  // [K5] Every change of the source changes a head, before or after: either this loop sees it, or
  // the copy is inconsistent.
  bool same = true;
  for_each_head([&](auto head) {
    same = same && head(*this).load(base::memory_order_relaxed) ==
                       head(source).load(base::memory_order_relaxed);
  });
  if (!same || !Census(*this).is_whole()) {
    clear();
    return Status::busy;
  }
  ready_channels().reset();
  for (unsigned channel = 0; channel < options_.channels; ++channel) tell_ready(channel);
  return Status::ok;
}

void TaskScheduler::copy_task(std::uint32_t task, const TaskScheduler& source) noexcept {
  copy(records_[task].state, source.records_[task].state);
  copy(records_[task].dependents, source.records_[task].dependents);
  copy(records_[task].body, source.records_[task].body);
  copy(records_[task].context, source.records_[task].context);
  copy(task_links_[task], source.task_links_[task]);
  copy(task_channels_[task], source.task_channels_[task]);
  if (names_ == nullptr) return;
  names_[task].store(nullptr, base::memory_order_relaxed);
  if (source.names_ != nullptr) copy(names_[task], source.names_[task]);
}

// Reports the ready tasks of a channel as if they had just become ready.
void TaskScheduler::tell_ready(unsigned channel) const noexcept {
  const auto count = Census(*this).ready_in(channel).value_or(0);
  if (count == 0) return;
  ready_channels().note(channel);
  if (options_.on_ready.call == nullptr) return;
  options_.on_ready.call(options_.on_ready.context, channel, static_cast<std::uint32_t>(count));
}

}  // namespace fathom::sched

#include "fathom/rt/task_scheduler.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "fathom/base/cache_line.h"
#include "fathom/base/error.h"
#include "scheduler/index_stack.h"
#include "scheduler/ready_tasks.h"

namespace fathom::rt {

namespace {

// A build for tests narrows it, so that generations come back.
#ifndef FATHOM_RT_GENERATION_BITS
#define FATHOM_RT_GENERATION_BITS 32
#endif
constexpr std::uint32_t kGenerations = 0xffffffffU >> (32 - FATHOM_RT_GENERATION_BITS);

std::uint32_t after(std::uint32_t generation) {
  const std::uint32_t next = (generation + 1) & kGenerations;
  return next == 0 ? 1 : next;  // 0 is no task's
}

// Instead of the first edge of a list of dependents: the task has finished.
constexpr std::uint32_t kClosed = 0xfffffffe;
constexpr std::uint64_t kMostIndices = kClosed;

enum class Phase : std::uint8_t { free, created, ready, running, blocked };
constexpr std::size_t kPhases = 5;

// All of a task that changes while others look: one word, so that each change is one step.
struct State {
  std::uint32_t generation = 0;
  Phase phase = Phase::free;
  bool told = false;          // while it runs: that it is to run once more
  std::uint32_t pending = 0;  // dependencies that have not finished
};

constexpr std::uint32_t kPendingBits = 28;
constexpr std::uint32_t kMostPending = (1U << kPendingBits) - 1;

std::uint64_t word_of(const State& state) {
  return std::uint64_t{state.generation} << 32 |
         std::uint64_t{static_cast<std::uint8_t>(state.phase)} << (kPendingBits + 1) |
         std::uint64_t{state.told} << kPendingBits | state.pending;
}

State state_of(std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word);
  return {.generation = static_cast<std::uint32_t>(word >> 32),
          .phase = static_cast<Phase>(low >> (kPendingBits + 1)),
          .told = (low >> kPendingBits & 1) != 0,
          .pending = low & kMostPending};
}

std::uint64_t dependents_of(std::uint32_t generation, std::uint32_t first) {
  return std::uint64_t{generation} << 32 | first;
}

std::uint32_t generation_in(std::uint64_t dependents) {
  return static_cast<std::uint32_t>(dependents >> 32);
}

std::uint32_t first_in(std::uint64_t dependents) {
  return static_cast<std::uint32_t>(dependents);
}

bool in_range(const TaskScheduler::Options& options) {
  return options.tasks > 0 && options.tasks < kMostIndices && options.dependencies < kMostIndices &&
         options.channels > 0 && options.channels <= TaskScheduler::kMostChannels;
}

std::uint64_t rounded_up(std::uint64_t size) {
  return (size + TaskScheduler::kAlignment - 1) / TaskScheduler::kAlignment *
         TaskScheduler::kAlignment;
}

}  // namespace

// What is asked first when a task runs stands together.
struct TaskScheduler::Record {
  base::atomic<std::uint64_t> state{word_of({.generation = 1})};
  // The tasks that wait for this one: its generation, and the first of its edges.
  base::atomic<std::uint64_t> dependents{dependents_of(0, kClosed)};
  base::atomic<Body> body{nullptr};
  base::atomic<void*> context{nullptr};
};

// From a dependency to the task that waits for it.
struct TaskScheduler::Edge {
  base::atomic<std::uint32_t> index{0};
  base::atomic<std::uint32_t> generation{0};
};

// Where what begins, in bytes. 64 bits wide: it is compared with what can be addressed at the end.
struct TaskScheduler::Layout {
  std::uint64_t channels, records, edges, names, task_links, edge_links, task_channels, end;
  std::size_t channel_stride, channel_word;
};

// ---- Memory

namespace {

// The first words: the heads of the places that are free.
struct Pools {
  alignas(base::kCacheLine) IndexStack::Head tasks{IndexStack::kEmpty};
  alignas(base::kCacheLine) IndexStack::Head edges{IndexStack::kEmpty};
};

constexpr std::size_t kWordsOfChannel = 3;  // two heads and the turn

}  // namespace

std::optional<TaskScheduler::Layout> TaskScheduler::layout_of(const Options& options) {
  if (!in_range(options)) return std::nullopt;
  Layout layout{};
  layout.channel_word = options.aligned_channels ? base::kCacheLine : sizeof(Word);
  layout.channel_stride = kWordsOfChannel * layout.channel_word;
  std::uint64_t at = 0;
  const auto take = [&at](std::uint64_t count, std::uint64_t size) {
    return std::exchange(at, rounded_up(at + count * size));
  };
  take(1, sizeof(Pools));
  layout.channels = take(options.channels, layout.channel_stride);
  layout.records = take(options.tasks, sizeof(Record));
  layout.edges = take(options.dependencies, sizeof(Edge));
  layout.names = take(options.named ? options.tasks : 0, sizeof(const char*));
  layout.task_links = take(options.tasks, sizeof(IndexStack::Link));
  layout.edge_links = take(options.dependencies, sizeof(IndexStack::Link));
  layout.task_channels = take(options.tasks, sizeof(base::atomic<std::uint8_t>));
  layout.end = at;
  return layout;
}

std::optional<std::size_t> TaskScheduler::memory_size(const Options& options) {
  const auto layout = layout_of(options);
  if (!layout || layout->end > std::numeric_limits<std::size_t>::max()) return std::nullopt;
  return static_cast<std::size_t>(layout->end);
}

namespace {

std::size_t required_size(const TaskScheduler::Options& options) {
  if (options.channels == 0 || options.channels > TaskScheduler::kMostChannels) {
    throw base::Error("a task scheduler has 1 to 256 channels, not " +
                      std::to_string(options.channels));
  }
  const auto size = TaskScheduler::memory_size(options);
  if (!size) {
    throw base::Error(
        "a task scheduler has room for 1 to 2^32 - 3 tasks, and as many dependencies");
  }
  return *size;
}

void free_aligned(std::byte* memory) {
  ::operator delete (memory, std::align_val_t{TaskScheduler::kAlignment});
}

void leave_alone(std::byte* /*memory*/) {}

}  // namespace

TaskScheduler::TaskScheduler(const Options& options)
    : options_(options), owned_(nullptr, &free_aligned) {
  const std::size_t size = required_size(options);
  owned_.reset(static_cast<std::byte*>(::operator new (size, std::align_val_t{kAlignment})));
  place({owned_.get(), size});
}

TaskScheduler::TaskScheduler(const Options& options, std::span<std::byte> memory)
    : TaskScheduler(options, memory, nullptr) {}

TaskScheduler::TaskScheduler(const Options& options, std::span<std::byte> memory, Invoke invoke)
    : options_(options), owned_(nullptr, &leave_alone), invoke_(invoke) {
  const std::size_t size = required_size(options);
  if (memory.size() < size) {
    throw base::Error("a task scheduler with these options needs " + std::to_string(size) +
                      " bytes, not " + std::to_string(memory.size()));
  }
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % kAlignment != 0) {
    throw base::Error("the memory of a task scheduler must be aligned to " +
                      std::to_string(kAlignment) + " bytes");
  }
  place(memory);
}

TaskScheduler::~TaskScheduler() = default;

void TaskScheduler::place(std::span<std::byte> memory) {
  static_assert(std::is_trivially_destructible_v<Record> && std::is_trivially_destructible_v<Edge>);
  static_assert(alignof(Pools) <= kAlignment && alignof(Record) <= kAlignment);
  const Layout layout = *layout_of(options_);
  memory_ = memory.data();
  channels_at_ = static_cast<std::size_t>(layout.channels);
  channel_stride_ = layout.channel_stride;
  channel_word_ = layout.channel_word;
  const auto array = [&]<class T>(std::uint64_t at, std::uint64_t count, T* /*type*/) {
    T* const first = reinterpret_cast<T*>(memory_ + at);
    for (std::uint64_t i = 0; i < count; ++i) new (first + i) T();
    return first;
  };
  array(0, 1, static_cast<Pools*>(nullptr));
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    for (std::size_t word = 0; word < kWordsOfChannel; ++word) {
      array(channels_at_ + channel * channel_stride_ + word * channel_word_, 1,
            static_cast<Word*>(nullptr));
    }
  }
  records_ = array(layout.records, options_.tasks, records_);
  edges_ = array(layout.edges, options_.dependencies, edges_);
  if (options_.named) names_ = array(layout.names, options_.tasks, names_);
  task_links_ = array(layout.task_links, options_.tasks, task_links_);
  edge_links_ = array(layout.edge_links, options_.dependencies, edge_links_);
  task_channels_ = array(layout.task_channels, options_.tasks, task_channels_);
  clear();
}

namespace {

Pools& pools_in(std::byte* memory) {
  return *std::launder(reinterpret_cast<Pools*>(memory));
}

// Links all of them, and makes them the only ones of the stack.
void fill(IndexStack::Head& head, IndexStack::Link* links, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    links[i].store(i + 1 < count ? i + 1 : kNoIndex, base::memory_order_relaxed);
  }
  head.store(count > 0 ? 0 : IndexStack::kEmpty, base::memory_order_relaxed);
}

}  // namespace

// To the state after construction.
void TaskScheduler::clear() noexcept {
  Pools& pools = pools_in(memory_);
  fill(pools.tasks, task_links_, options_.tasks);
  fill(pools.edges, edge_links_, options_.dependencies);
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    records_[task].state.store(word_of({.generation = 1}), base::memory_order_relaxed);
    records_[task].dependents.store(dependents_of(0, kClosed), base::memory_order_relaxed);
  }
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    word_of_channel(channel, 0).store(IndexStack::kEmpty, base::memory_order_relaxed);
    word_of_channel(channel, 1).store(IndexStack::kEmpty, base::memory_order_relaxed);
    word_of_channel(channel, 2).store(0, base::memory_order_relaxed);
  }
}

// The heads of a channel's two stacks, and its turn.
TaskScheduler::Word& TaskScheduler::word_of_channel(unsigned channel,
                                                    unsigned word) const noexcept {
  std::byte* const at = memory_ + channels_at_ + channel * channel_stride_ + word * channel_word_;
  return *std::launder(reinterpret_cast<Word*>(at));
}

Contended TaskScheduler::contended() const noexcept {
  return options_.pauses ? Contended::pause : Contended::retry;
}

IndexStack TaskScheduler::free_tasks() const noexcept {
  return {pools_in(memory_).tasks, task_links_, contended()};
}

IndexStack TaskScheduler::free_edges() const noexcept {
  return {pools_in(memory_).edges, edge_links_, contended()};
}

ReadyTasks TaskScheduler::ready_tasks(unsigned channel) const noexcept {
  return {
      {{&word_of_channel(channel, 0), &word_of_channel(channel, 1)}, &word_of_channel(channel, 2)},
      task_links_,
      contended()};
}

// ---- Chains that go somewhere at once

// Tasks that became ready: those of one channel that follow each other go there together.
class TaskScheduler::ReadyRange {
 public:
  explicit ReadyRange(TaskScheduler& scheduler) noexcept : scheduler_(scheduler) {}
  ReadyRange(const ReadyRange&) = delete;
  ReadyRange& operator=(const ReadyRange&) = delete;
  ~ReadyRange() { flush(); }

  // The next one of the channel is not pushed: take_kept() gives it.
  void keep_one_of(unsigned channel) noexcept { keeps_ = channel; }
  // The one that was kept; kNoIndex if there was none.
  std::uint32_t take_kept() noexcept {
    keeps_ = kNoChannel;
    return std::exchange(kept_, kNoIndex);
  }

  void add(std::uint32_t task) noexcept {
    if (scheduler_.channel_of(task) == keeps_) {
      kept_ = task;
      keeps_ = kNoChannel;
    } else {
      push(task);
    }
  }

  // The same, but it is not kept.
  void push(std::uint32_t task) noexcept {
    const unsigned channel = scheduler_.channel_of(task);
    if (count_ > 0 && channel == channel_) {
      scheduler_.task_links_[last_].store(task, base::memory_order_relaxed);
    } else {
      flush();
      channel_ = channel;
      first_ = task;
    }
    last_ = task;
    ++count_;
  }

  void flush() noexcept {
    if (count_ == 0) return;
    scheduler_.ready_tasks(channel_).push(first_, last_);
    const OnReady& on_ready = scheduler_.options_.on_ready;
    if (on_ready.call != nullptr) on_ready.call(on_ready.context, channel_, count_);
    count_ = 0;
  }

 private:
  static constexpr unsigned kNoChannel = kMostChannels;

  TaskScheduler& scheduler_;
  unsigned keeps_ = kNoChannel;
  std::uint32_t kept_ = kNoIndex;
  unsigned channel_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t count_ = 0;
};

// Numbers that are free again.
class TaskScheduler::FreeRange {
 public:
  FreeRange(IndexStack stack, IndexStack::Link* links) noexcept : stack_(stack), links_(links) {}
  FreeRange(const FreeRange&) = delete;
  FreeRange& operator=(const FreeRange&) = delete;
  ~FreeRange() {
    if (first_ != kNoIndex) stack_.push(first_, last_);
  }

  void add(std::uint32_t number) noexcept {
    if (first_ == kNoIndex) {
      last_ = number;
    } else {
      links_[number].store(first_, base::memory_order_relaxed);
    }
    first_ = number;
  }

 private:
  IndexStack stack_;
  IndexStack::Link* const links_;
  std::uint32_t first_ = kNoIndex;
  std::uint32_t last_ = kNoIndex;
};

// ---- Making tasks

TaskScheduler::Status TaskScheduler::create(std::span<const Spec> specs,
                                            std::span<Handle> tasks) noexcept {
  if (specs.size() != tasks.size()) return Status::invalid;
  for (const Spec& spec : specs) {
    if (spec.body == nullptr || spec.channel >= options_.channels) return Status::invalid;
  }
  std::fill(tasks.begin(), tasks.end(), Handle{});
  if (specs.size() > options_.tasks) return Status::full;
  if (specs.empty()) return Status::ok;
  const auto count = static_cast<std::uint32_t>(specs.size());
  const std::uint32_t taken = free_tasks().pop(
      count, count, [&](std::uint32_t i, std::uint32_t task) { tasks[i].index = task; });
  if (taken == 0) {
    std::fill(tasks.begin(), tasks.end(), Handle{});  // it may have found some
    return Status::full;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Spec& spec = specs[i];
    Handle& task = tasks[i];
    Record& record = records_[task.index];
    task.generation = state_of(record.state.load(base::memory_order_relaxed)).generation;
    record.body.store(spec.body, base::memory_order_relaxed);
    record.context.store(spec.context, base::memory_order_relaxed);
    // [K2] release: who waits for the task that had this place sees what it did, too, from here on;
    // and who copies the list, the body.
    record.dependents.store(dependents_of(task.generation, kNoIndex), base::memory_order_release);
    task_channels_[task.index].store(static_cast<std::uint8_t>(spec.channel),
                                     base::memory_order_relaxed);
    if (names_ != nullptr) names_[task.index].store(spec.name, base::memory_order_relaxed);
    // Whoever has the handle has it from here, and so what was written before.
    record.state.store(word_of({.generation = task.generation, .phase = Phase::created}),
                       base::memory_order_relaxed);
  }
  return Status::ok;
}

TaskScheduler::Status TaskScheduler::add_dependencies(Handle task,
                                                      std::span<const Handle> on) noexcept {
  if (!exists(task) || !std::all_of(on.begin(), on.end(), [this](Handle h) { return exists(h); })) {
    return Status::stale;
  }
  if (std::find(on.begin(), on.end(), task) != on.end()) return Status::invalid;
  if (on.empty()) return is_live(task) ? Status::ok : Status::stale;
  if (on.size() > std::min(options_.dependencies, kMostPending)) return Status::full;
  const auto count = static_cast<std::uint32_t>(on.size());
  std::uint32_t edge = kNoIndex;  // the first of as many, linked
  const auto keep_first = [&edge](std::uint32_t i, std::uint32_t number) {
    if (i == 0) edge = number;
  };
  if (free_edges().pop(count, count, keep_first) == 0) return Status::full;

  FreeRange unused(free_edges(), edge_links_);
  const Status status = add_pending(task, count);
  std::uint32_t finished = 0;
  for (const Handle dependency : on) {
    const std::uint32_t next = edge_links_[edge].load(base::memory_order_relaxed);
    if (status != Status::ok || !add_edge(edge, task, dependency)) {
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
    State state = state_of(seen);
    if (state.generation != task.generation) return Status::stale;
    if (state.phase != Phase::created && state.phase != Phase::running) return Status::started;
    if (state.pending + count > kMostPending) return Status::full;
    state.pending += count;
    if (word.compare_exchange_weak(seen, word_of(state), base::memory_order_relaxed,
                                   base::memory_order_relaxed)) {
      return Status::ok;
    }
  }
}

// Adds the task to those that wait for another: whether that has not finished yet.
bool TaskScheduler::add_edge(std::uint32_t edge, Handle task, Handle on) noexcept {
  edges_[edge].index.store(task.index, base::memory_order_relaxed);
  edges_[edge].generation.store(task.generation, base::memory_order_relaxed);
  Word& dependents = records_[on.index].dependents;
  // [K2] acquire: pairs with the release in close(), for what the dependency did.
  std::uint64_t seen = dependents.load(base::memory_order_acquire);
  while (generation_in(seen) == on.generation && first_in(seen) != kClosed) {
    edge_links_[edge].store(first_in(seen), base::memory_order_relaxed);
    // [K3] release: pairs with the acquire in close(), for the edge. Those behind it were released
    // by their own additions, whose release sequences this one continues.
    if (dependents.compare_exchange_weak(seen, dependents_of(on.generation, edge),
                                         base::memory_order_release,
                                         base::memory_order_acquire)) {  // [K2]
      return true;
    }
  }
  return false;
}

// So many of a task's dependencies have finished: whether it is the caller's now to push where the
// ready ones are.
bool TaskScheduler::fulfil(Handle task, std::uint32_t count) noexcept {
  Word& word = records_[task.index].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  for (;;) {
    State state = state_of(seen);
    if (state.generation != task.generation) return false;  // freed, or done without waiting
    state.pending -= count;
    bool ready = false;
    if (state.pending == 0) {
      ready = state.phase != Phase::running;
      state.told = !ready;
      if (ready) state.phase = Phase::ready;
    }
    // [K4] acq_rel: each who fulfils something hands what it knows to the last, who makes the task
    // ready.
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
    if (queued) range.add(tasks[i].index);
  }
  return {Status::ok, tasks.size()};
}

TaskScheduler::Status TaskScheduler::make_ready(Handle task, bool& queued) noexcept {
  if (!exists(task)) return Status::stale;
  Word& word = records_[task.index].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  for (;;) {
    State state = state_of(seen);
    if (state.generation != task.generation || state.phase == Phase::free) return Status::stale;
    if (state.phase == Phase::ready || state.told) return Status::already;
    if (state.pending > 0) return Status::waiting;
    queued = state.phase != Phase::running;
    state.told = !queued;
    if (queued) state.phase = Phase::ready;
    // [K4] acq_rel: hands over what came before ready(), and takes over what a body did that was
    // blocked.
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
    const Status status = not_started(tasks[i]);
    if (status != Status::ok) return {status, i};
    task_channels_[tasks[i].index].store(static_cast<std::uint8_t>(channel),
                                         base::memory_order_relaxed);
  }
  return {Status::ok, tasks.size()};
}

TaskScheduler::Result TaskScheduler::free(std::span<const Handle> tasks) noexcept {
  FreeRange freed(free_tasks(), task_links_);
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

// Ends a task that has not started: whether it did. What it depends on may finish meanwhile, and
// start it; then the place may even be another's.
bool TaskScheduler::revoke(Handle task) noexcept {
  Word& word = records_[task.index].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  while (seen == word_of({.generation = task.generation,
                          .phase = Phase::created,
                          .pending = state_of(seen).pending})) {
    const State ended = {.generation = after(task.generation)};
    if (word.compare_exchange_weak(seen, word_of(ended), base::memory_order_relaxed,
                                   base::memory_order_relaxed))
      return true;
  }
  return false;
}

// ---- Running them

std::uint32_t TaskScheduler::execute(unsigned channel, std::uint32_t most, From from) noexcept {
  if (channel >= options_.channels) return 0;
  std::uint32_t taken[kMostAtOnce];
  const std::uint32_t count = take(channel, std::min(most, kMostAtOnce), from, taken);
  if (count == 0) return 0;
  // They come from another thread's cache, most likely: all at once rather than one by one.
  for (std::uint32_t i = 0; i < count; ++i) __builtin_prefetch(&records_[taken[i]], 1);
  ReadyRange ready(*this);
  FreeRange freed(free_tasks(), task_links_);
  for (std::uint32_t i = 0; i < count; ++i) run(taken[i], ready, freed);
  return count;
}

std::uint32_t TaskScheduler::execute_line(unsigned channel, std::uint32_t most,
                                          From from) noexcept {
  std::uint32_t task = kNoIndex;
  if (channel >= options_.channels || take(channel, std::min(most, 1U), from, &task) == 0) return 0;
  ReadyRange ready(*this);
  for (std::uint32_t count = 1;; ++count) {
    if (count < std::min(most, kMostAtOnce)) ready.keep_one_of(channel_of(task));
    FreeRange freed(free_tasks(), task_links_);
    run(task, ready, freed);
    task = ready.take_kept();
    if (task == kNoIndex) return count;
  }
}

bool TaskScheduler::has_ready() const noexcept {
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    if (!ready_tasks(channel).empty()) return true;
  }
  return false;
}

std::uint32_t TaskScheduler::take(unsigned channel, std::uint32_t most, From from,
                                  std::uint32_t* taken) noexcept {
  if (most == 0) return 0;
  const unsigned looks = from == From::any_channel ? options_.channels : 1;
  for (unsigned look = 0; look < looks; ++look) {
    const std::uint32_t count = ready_tasks(channel).pop(
        most, [taken](std::uint32_t i, std::uint32_t task) { taken[i] = task; });
    if (count > 0) return count;
    channel = channel + 1 == options_.channels ? 0 : channel + 1;
  }
  return 0;
}

void TaskScheduler::run(std::uint32_t task, ReadyRange& ready, FreeRange& freed) noexcept {
  Record& record = records_[task];
  State state = state_of(record.state.load(base::memory_order_relaxed));
  // No other call changes the word of a task that is ready.
  state.phase = Phase::running;
  record.state.store(word_of(state), base::memory_order_relaxed);
  const Body body = record.body.load(base::memory_order_relaxed);
  void* const context = record.context.load(base::memory_order_relaxed);
  const Handle self = {.index = task, .generation = state.generation};
  const Outcome outcome =
      invoke_ == nullptr ? body(*this, self, context) : invoke_(*this, body, self, context);
  if (outcome == Outcome::blocked) {
    if (block(task)) ready.push(task);
  } else {
    finish(task, state.generation, ready);
    freed.add(task);
  }
  // Not kept back while the next task runs.
  ready.flush();
}

// Whether it is ready again.
bool TaskScheduler::block(std::uint32_t task) noexcept {
  Word& word = records_[task].state;
  std::uint64_t seen = word.load(base::memory_order_relaxed);
  for (;;) {
    State state = state_of(seen);
    // If it waits for dependencies, it will run once more after them.
    const bool again = std::exchange(state.told, false) && state.pending == 0;
    state.phase = again ? Phase::ready : Phase::blocked;
    // [K4] acq_rel: hands what the body did to whoever makes the task ready; takes over what came
    // before a ready() while it ran.
    if (word.compare_exchange_weak(seen, word_of(state), base::memory_order_acq_rel,
                                   base::memory_order_relaxed)) {
      return again;
    }
  }
}

void TaskScheduler::finish(std::uint32_t task, std::uint32_t generation,
                           ReadyRange& ready) noexcept {
  give_back_edges(close(task, generation), [&](Handle waiting) {
    if (fulfil(waiting, 1)) ready.add(waiting.index);
  });
}

// Calls f(handle) for each task at the end of a finished task's edges, then gives these back.
template <class F>
void TaskScheduler::give_back_edges(std::uint32_t first, const F& f) noexcept {
  std::uint32_t last = kNoIndex;
  for (std::uint32_t edge = first; edge != kNoIndex;) {
    f(end_of(edge));
    last = std::exchange(edge, edge_links_[edge].load(base::memory_order_relaxed));
  }
  if (last != kNoIndex) free_edges().push(first, last);
}

// From now on nobody can wait for the task, and its handle is stale. Its first edge.
std::uint32_t TaskScheduler::close(std::uint32_t task, std::uint32_t generation) noexcept {
  Record& record = records_[task];
  // [K2] release: what the task did is visible to who finds that it has finished. [K3] acquire: the
  // edges.
  const std::uint64_t dependents =
      record.dependents.exchange(dependents_of(generation, kClosed), base::memory_order_acq_rel);
  record.state.store(word_of({.generation = after(generation)}), base::memory_order_relaxed);
  return first_in(dependents);
}

// ---- Looking at tasks

bool TaskScheduler::exists(Handle task) const noexcept {
  return task.index < options_.tasks && task.generation != 0;
}

TaskScheduler::Status TaskScheduler::not_started(Handle task) const noexcept {
  if (!exists(task)) return Status::stale;
  const State state = state_of(records_[task.index].state.load(base::memory_order_relaxed));
  if (state.generation != task.generation || state.phase == Phase::free) return Status::stale;
  return state.phase == Phase::created ? Status::ok : Status::started;
}

// The task that waits.
TaskScheduler::Handle TaskScheduler::end_of(std::uint32_t edge) const noexcept {
  return {.index = edges_[edge].index.load(base::memory_order_relaxed),
          .generation = edges_[edge].generation.load(base::memory_order_relaxed)};
}

unsigned TaskScheduler::channel_of(std::uint32_t task) const noexcept {
  return task_channels_[task].load(base::memory_order_relaxed);
}

bool TaskScheduler::is_live(Handle task) const noexcept {
  const State state = state_of(records_[task.index].state.load(base::memory_order_relaxed));
  return state.generation == task.generation && state.phase != Phase::free;
}

// Calls f(handle) for each task that exists and waits for this one.
template <class F>
void TaskScheduler::for_each_dependent(std::uint32_t task, const F& f) const {
  // [K3] acquire: pairs with the release in add_edge().
  const std::uint64_t dependents = records_[task].dependents.load(base::memory_order_acquire);
  if (first_in(dependents) == kClosed) return;
  for (std::uint32_t edge = first_in(dependents); edge != kNoIndex;
       edge = edge_links_[edge].load(base::memory_order_relaxed)) {
    if (is_live(end_of(edge))) f(end_of(edge));
  }
}

const char* TaskScheduler::name(Handle task) const noexcept {
  if (names_ == nullptr || !exists(task) || !is_live(task)) return nullptr;
  return names_[task.index].load(base::memory_order_relaxed);
}

// Takes away, one after the other, what waits for nothing that is left (Kahn 1962). What remains
// waits for something that remains, so following that ends in a circle.
std::vector<TaskScheduler::Handle> TaskScheduler::find_cycle() const {
  std::vector<std::uint32_t> pending(options_.tasks);
  std::vector<std::uint32_t> free_to_run;
  const auto live = [this](std::uint32_t task) {
    return state_of(records_[task].state.load(base::memory_order_relaxed)).phase != Phase::free;
  };
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    if (live(task)) for_each_dependent(task, [&](Handle waiting) { ++pending[waiting.index]; });
  }
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    if (live(task) && pending[task] == 0) free_to_run.push_back(task);
  }
  while (!free_to_run.empty()) {
    const std::uint32_t task = free_to_run.back();
    free_to_run.pop_back();
    for_each_dependent(task, [&](Handle waiting) {
      if (--pending[waiting.index] == 0) free_to_run.push_back(waiting.index);
    });
  }
  std::vector<std::uint32_t> waits_for(options_.tasks, kNoIndex);
  std::uint32_t at = kNoIndex;
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    if (pending[task] == 0) continue;
    for_each_dependent(task, [&](Handle waiting) { waits_for[waiting.index] = task; });
    at = task;
  }
  if (at == kNoIndex) return {};
  std::vector<bool> seen(options_.tasks);
  for (; !seen[at]; at = waits_for[at]) seen[at] = true;
  std::vector<Handle> cycle;
  for (const std::uint32_t first = at; cycle.empty() || at != first; at = waits_for[at]) {
    const State state = state_of(records_[at].state.load(base::memory_order_relaxed));
    cycle.push_back({.index = at, .generation = state.generation});
  }
  return cycle;
}

// ---- Copying

// Calls f(head) with functions that give, of a scheduler, each word that leads to tasks or edges.
template <class F>
void TaskScheduler::for_each_head(const F& f) const {
  f([](const TaskScheduler& of) -> Word& { return pools_in(of.memory_).tasks; });
  f([](const TaskScheduler& of) -> Word& { return pools_in(of.memory_).edges; });
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    for (unsigned word = 0; word < kWordsOfChannel; ++word) {
      f([=](const TaskScheduler& of) -> Word& { return of.word_of_channel(channel, word); });
    }
  }
}

// How many are in a stack, each of which must be in that phase; nothing if one is not, or if there
// are too many. At rest.
std::optional<std::uint64_t> TaskScheduler::count_tasks(const Word& head,
                                                        std::uint8_t phase) const {
  std::uint64_t count = 0;
  for (std::uint32_t task = IndexStack::top_of(head.load(base::memory_order_relaxed));
       task != kNoIndex; task = task_links_[task].load(base::memory_order_relaxed)) {
    const State state = state_of(records_[task].state.load(base::memory_order_relaxed));
    if (static_cast<std::uint8_t>(state.phase) != phase || ++count > options_.tasks) return {};
  }
  return count;
}

std::uint64_t TaskScheduler::count_edges(std::uint32_t first) const {
  std::uint64_t count = 0;
  while (first != kNoIndex && count <= options_.dependencies) {
    ++count;
    first = edge_links_[first].load(base::memory_order_relaxed);
  }
  return count;
}

// At rest each task and each edge is in one place, no task runs, and as many dependencies are
// waited for as have not finished.
bool TaskScheduler::is_whole() const {
  std::uint64_t in_phase[kPhases] = {};
  std::uint64_t pending = 0;
  std::uint64_t live_edges = 0;
  std::uint64_t edges =
      count_edges(IndexStack::top_of(pools_in(memory_).edges.load(base::memory_order_relaxed)));
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    const State state = state_of(records_[task].state.load(base::memory_order_relaxed));
    ++in_phase[static_cast<std::size_t>(state.phase)];
    pending += state.pending;
    const std::uint64_t list = records_[task].dependents.load(base::memory_order_relaxed);
    const bool open = first_in(list) != kClosed && generation_in(list) == state.generation;
    if (open != (state.phase != Phase::free)) return false;
    if (!open) continue;
    // First whether it ends at all: the links may be torn.
    edges += count_edges(first_in(list));
    if (edges > options_.dependencies) return false;
    for_each_dependent(task, [&live_edges](Handle /*waiting*/) { ++live_edges; });
  }
  const auto at = [&](Phase phase) { return in_phase[static_cast<std::size_t>(phase)]; };
  if (at(Phase::running) != 0 || edges != options_.dependencies || pending != live_edges) {
    return false;
  }
  std::uint64_t ready = 0;
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    for (unsigned stack = 0; stack < 2; ++stack) {
      const auto count =
          count_tasks(word_of_channel(channel, stack), static_cast<std::uint8_t>(Phase::ready));
      if (!count) return false;
      ready += *count;
    }
  }
  const auto free = count_tasks(pools_in(memory_).tasks, static_cast<std::uint8_t>(Phase::free));
  return free == at(Phase::free) && ready == at(Phase::ready);
}

// As if those that are ready in the channel had just become so.
void TaskScheduler::tell_ready(unsigned channel) const noexcept {
  const auto phase = static_cast<std::uint8_t>(Phase::ready);
  const std::uint64_t count = *count_tasks(word_of_channel(channel, 0), phase) +
                              *count_tasks(word_of_channel(channel, 1), phase);
  if (count == 0 || options_.on_ready.call == nullptr) return;
  options_.on_ready.call(options_.on_ready.context, channel, static_cast<std::uint32_t>(count));
}

TaskScheduler::Status TaskScheduler::copy_from(const TaskScheduler& source) noexcept {
  if (&source == this || source.options_.tasks != options_.tasks ||
      source.options_.dependencies != options_.dependencies ||
      source.options_.channels != options_.channels) {
    return Status::invalid;
  }
  const auto copy = [](auto& to, const auto& from) {
    to.store(from.load(base::memory_order_acquire), base::memory_order_relaxed);  // [K5]
  };
  for_each_head([&](auto head) { copy(head(*this), head(source)); });
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    copy(records_[task].state, source.records_[task].state);
    copy(records_[task].dependents, source.records_[task].dependents);
    copy(records_[task].body, source.records_[task].body);
    copy(records_[task].context, source.records_[task].context);
    copy(task_links_[task], source.task_links_[task]);
    copy(task_channels_[task], source.task_channels_[task]);
    if (names_ == nullptr) continue;
    names_[task].store(nullptr, base::memory_order_relaxed);
    if (source.names_ != nullptr) copy(names_[task], source.names_[task]);
  }
  for (std::uint32_t edge = 0; edge < options_.dependencies; ++edge) {
    copy(edges_[edge].index, source.edges_[edge].index);
    copy(edges_[edge].generation, source.edges_[edge].generation);
    copy(edge_links_[edge], source.edge_links_[edge]);
  }
  // [K5] Whatever changes the source changes a head, before or after: either that is seen here, or
  // it shows in a copy that is not whole.
  bool same = true;
  for_each_head([&](auto head) {
    same = same && head(*this).load(base::memory_order_relaxed) ==
                       head(source).load(base::memory_order_relaxed);
  });
  if (!same || !is_whole()) {
    clear();
    return Status::busy;
  }
  for (unsigned channel = 0; channel < options_.channels; ++channel) tell_ready(channel);
  return Status::ok;
}

}  // namespace fathom::rt

// TaskScheduler: the layout of its memory, construction and reset.

#include "scheduler_memory.h"

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "fathom/base/error.h"

namespace fathom::sched {

// The offsets of the parts, in bytes. 64 bits wide, so that the end can be compared with the size
// of the address space.
struct TaskScheduler::Layout {
  std::uint64_t free_places, channels, records, edges, names, task_links, edge_links, task_channels,
      end;
  std::size_t channel_stride, channel_word;
};

namespace {

constexpr std::uint64_t kMostIndices = kSpawned;

bool in_range(const TaskScheduler::Options& options) {
  return options.tasks > 0 && options.tasks < kMostIndices && options.dependencies < kMostIndices &&
         options.channels > 0 && options.channels <= TaskScheduler::kMostChannels;
}

std::uint64_t rounded_up(std::uint64_t size) {
  return (size + TaskScheduler::kAlignment - 1) / TaskScheduler::kAlignment *
         TaskScheduler::kAlignment;
}

}  // namespace

std::optional<TaskScheduler::Layout> TaskScheduler::layout_of(const Options& options) {
  if (!in_range(options)) return std::nullopt;
  Layout layout{};
  layout.channel_word = options.aligned_channels ? base::kCacheLine : sizeof(Word);
  layout.channel_stride = StackWords::kCount * layout.channel_word;
  std::uint64_t at = 0;
  const auto take = [&at](std::uint64_t count, std::uint64_t size) {
    return std::exchange(at, rounded_up(at + count * size));
  };
  take(1, Pools::size());
  layout.free_places =
      take(std::uint64_t{FreePlaces::lists_for(options.channels)} * StackWords::kCount,
           sizeof(PaddedWord));
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
        "a task scheduler has room for 1 to 2^32 - 4 tasks, and as many dependencies");
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
  array(layout.free_places, std::uint64_t{free_lists()} * StackWords::kCount,
        static_cast<PaddedWord*>(nullptr));
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    for (std::size_t word = 0; word < StackWords::kCount; ++word) {
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

// Links the indices from `first` to before `end`, and makes them the only contents of the stack.
void fill(IndexStack::Head& head, IndexStack::Link* links, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    links[i].store(i + 1 < end ? i + 1 : kNoIndex, base::memory_order_relaxed);
  }
  head.store(first < end ? first : IndexStack::kEmpty, base::memory_order_relaxed);
}

}  // namespace

// Restores the state after construction.
void TaskScheduler::clear() noexcept {
  Pools& free = pools();
  ready_channels().reset();
  for (unsigned list = 0; list < free_lists(); ++list) {
    const auto first_of = [this](std::uint64_t number) {
      return static_cast<std::uint32_t>(number * options_.tasks / free_lists());
    };
    const StackWords words = words_of_free_tasks().group(list);
    words.at(0).store(IndexStack::kEmpty, base::memory_order_relaxed);
    // From which turn 0 pops.
    fill(words.at(1), task_links_, first_of(list), first_of(std::uint64_t{list} + 1));
    words.at(StackWords::kTurn).store(0, base::memory_order_relaxed);
  }
  fill(free.edges, edge_links_, 0, options_.dependencies);
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    records_[task].state.store(word_of({.generation = 1}), base::memory_order_relaxed);
    records_[task].dependents.store(dependents_of(0, kClosed), base::memory_order_relaxed);
  }
  for (unsigned channel = 0; channel < options_.channels; ++channel) {
    words_of_channel(channel).at(0).store(IndexStack::kEmpty, base::memory_order_relaxed);
    words_of_channel(channel).at(1).store(IndexStack::kEmpty, base::memory_order_relaxed);
    words_of_channel(channel).at(StackWords::kTurn).store(0, base::memory_order_relaxed);
  }
}

}  // namespace fathom::sched

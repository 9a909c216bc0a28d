// The C interface of TaskScheduler (fathom/scheduler.h).

#include "fathom/scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <span>

#include "fathom/sched/task_scheduler.h"

using fathom::sched::TaskScheduler;

// Lives in the caller's memory, before the scheduler's own part.
struct fathom_scheduler final : TaskScheduler {
  fathom_scheduler(const fathom_scheduler_options& options, std::span<std::byte> memory);

  bool create_all(std::span<const fathom_spec> specs, fathom_task* tasks) noexcept;
  bool spawn_all(std::span<const fathom_spec> specs) noexcept;
  [[nodiscard]] bool can_run(std::span<const fathom_spec> specs) const noexcept;
  fathom_status add_all(fathom_task task, std::span<const fathom_task> on) noexcept;

  const fathom_on_ready on_ready;
  void* const on_ready_context;
};

namespace {

constexpr std::size_t kAtOnce = 64;

static_assert(FATHOM_SCHEDULER_ALIGNMENT == TaskScheduler::kAlignment);
static_assert(static_cast<int>(TaskScheduler::Status::busy) == FATHOM_BUSY);
static_assert(static_cast<int>(TaskScheduler::Outcome::blocked) == FATHOM_BLOCKED);

fathom_status status_of(TaskScheduler::Status status) {
  return static_cast<fathom_status>(status);
}

TaskScheduler::Handle handle_of(fathom_task task) {
  return {.index = task.index, .generation = task.generation};
}

fathom_task task_of(TaskScheduler::Handle handle) {
  return {handle.index, handle.generation};
}

// A body is stored as a function of another type, and cast back before it is called.
using AnyFunction = void (*)();

TaskScheduler::Outcome call(TaskScheduler& scheduler, TaskScheduler::Body body,
                            TaskScheduler::Handle task, void* context) noexcept {
  auto& self = static_cast<fathom_scheduler&>(scheduler);
  const auto own = reinterpret_cast<fathom_body>(reinterpret_cast<AnyFunction>(body));
  return own(&self, task_of(task), context) == FATHOM_BLOCKED ? TaskScheduler::Outcome::blocked
                                                              : TaskScheduler::Outcome::done;
}

void tell(void* scheduler, unsigned channel, std::uint32_t count) noexcept {
  const auto& self = *static_cast<const fathom_scheduler*>(scheduler);
  self.on_ready(self.on_ready_context, channel, count);
}

TaskScheduler::Options options_of(const fathom_scheduler_options& options,
                                  fathom_scheduler* scheduler) {
  TaskScheduler::Options own{.tasks = options.tasks,
                             .dependencies = options.dependencies,
                             .channels = options.channels,
                             .named = options.named != 0};
  if (options.on_ready != nullptr) own.on_ready = {&tell, scheduler};
  return own;
}

constexpr std::size_t kHead = (sizeof(fathom_scheduler) + FATHOM_SCHEDULER_ALIGNMENT - 1) /
                              FATHOM_SCHEDULER_ALIGNMENT * FATHOM_SCHEDULER_ALIGNMENT;

// Calls f(part) for batches of handles until one is not processed completely.
template <class F>
fathom_status in_parts(std::size_t count, const fathom_task* tasks, std::size_t* done, const F& f) {
  std::array<TaskScheduler::Handle, kAtOnce> handles;
  TaskScheduler::Result result;
  std::size_t total = 0;
  while (total < count && result) {
    const std::size_t part = std::min(count - total, kAtOnce);
    std::transform(tasks + total, tasks + total + part, handles.begin(), handle_of);
    result = f(std::span(handles).first(part));
    total += result.done;
  }
  if (done != nullptr) *done = total;
  return status_of(result.status);
}

TaskScheduler::Spec spec_of(const fathom_spec& spec) {
  return {.body = reinterpret_cast<TaskScheduler::Body>(reinterpret_cast<AnyFunction>(spec.body)),
          .context = spec.context,
          .channel = spec.channel,
          .name = spec.name};
}

unsigned first_channel(std::span<const fathom_spec> specs) {
  return specs.empty() ? 0 : specs.front().channel;
}

}  // namespace

fathom_scheduler::fathom_scheduler(const fathom_scheduler_options& options,
                                   std::span<std::byte> memory)
    : TaskScheduler(options_of(options, this), memory, &call),
      on_ready(options.on_ready),
      on_ready_context(options.on_ready_context) {}

// Returns whether there was room for all tasks.
bool fathom_scheduler::create_all(std::span<const fathom_spec> specs, fathom_task* tasks) noexcept {
  std::uint32_t place = 0;
  if (!take_places(first_channel(specs), specs.size(), place)) return false;
  for (const fathom_spec& spec : specs) *tasks++ = task_of(create_in(place, spec_of(spec)));
  return true;
}

// The same.
bool fathom_scheduler::spawn_all(std::span<const fathom_spec> specs) noexcept {
  std::uint32_t place = 0;
  if (!take_places(first_channel(specs), specs.size(), place)) return false;
  std::array<TaskScheduler::Spec, kAtOnce> part;
  while (!specs.empty()) {
    const auto some = specs.first(std::min(specs.size(), kAtOnce));
    std::transform(some.begin(), some.end(), part.begin(), spec_of);
    spawn_in(place, std::span(part).first(some.size()));
    specs = specs.subspan(some.size());
  }
  return true;
}

// Whether each has a function and a channel.
bool fathom_scheduler::can_run(std::span<const fathom_spec> specs) const noexcept {
  return std::all_of(specs.begin(), specs.end(), [this](const fathom_spec& spec) {
    return spec.body != nullptr && spec.channel < options().channels;
  });
}

// In one call, because otherwise the first part could make the task ready.
fathom_status fathom_scheduler::add_all(fathom_task task,
                                        std::span<const fathom_task> on) noexcept {
  const auto at = [](const void* tasks, std::size_t i) {
    return handle_of(static_cast<const fathom_task*>(tasks)[i]);
  };
  return status_of(add_dependencies(handle_of(task), on.data(), at, on.size()));
}

size_t fathom_scheduler_size(const fathom_scheduler_options* options) {
  const auto size = TaskScheduler::memory_size(options_of(*options, nullptr));
  return !size || *size > std::numeric_limits<std::size_t>::max() - kHead ? 0 : kHead + *size;
}

fathom_scheduler* fathom_scheduler_init(const fathom_scheduler_options* options, void* memory,
                                        size_t size) {
  const std::size_t needed = fathom_scheduler_size(options);
  const bool aligned = reinterpret_cast<std::uintptr_t>(memory) % FATHOM_SCHEDULER_ALIGNMENT == 0;
  if (needed == 0 || memory == nullptr || !aligned || size < needed) return nullptr;
  auto* const begin = static_cast<std::byte*>(memory);
  return new (begin) fathom_scheduler(*options, {begin + kHead, needed - kHead});
}

fathom_status fathom_tasks_create(fathom_scheduler* scheduler, size_t count,
                                  const fathom_spec* specs, fathom_task* tasks) {
  const std::span all(specs, count);
  std::fill(tasks, tasks + count, fathom_task{});
  if (!scheduler->can_run(all)) return FATHOM_INVALID;
  return all.empty() || scheduler->create_all(all, tasks) ? FATHOM_OK : FATHOM_FULL;
}

fathom_status fathom_tasks_spawn(fathom_scheduler* scheduler, size_t count,
                                 const fathom_spec* specs) {
  const std::span all(specs, count);
  if (!scheduler->can_run(all)) return FATHOM_INVALID;
  return all.empty() || scheduler->spawn_all(all) ? FATHOM_OK : FATHOM_FULL;
}

fathom_status fathom_task_add_dependencies(fathom_scheduler* scheduler, fathom_task task,
                                           size_t count, const fathom_task* on) {
  return scheduler->add_all(task, {on, count});
}

fathom_status fathom_tasks_ready(fathom_scheduler* scheduler, size_t count,
                                 const fathom_task* tasks, size_t* done) {
  return in_parts(count, tasks, done, [&](auto part) { return scheduler->ready(part); });
}

fathom_status fathom_tasks_set_channel(fathom_scheduler* scheduler, size_t count,
                                       const fathom_task* tasks, unsigned channel, size_t* done) {
  return in_parts(count, tasks, done,
                  [&](auto part) { return scheduler->set_channel(part, channel); });
}

fathom_status fathom_tasks_free(fathom_scheduler* scheduler, size_t count, const fathom_task* tasks,
                                size_t* done) {
  return in_parts(count, tasks, done, [&](auto part) { return scheduler->free(part); });
}

uint32_t fathom_execute(fathom_scheduler* scheduler, unsigned channel, uint32_t most) {
  return scheduler->execute(channel, most);
}

int fathom_execute_one(fathom_scheduler* scheduler, unsigned channel) {
  return scheduler->execute_one(channel) ? 1 : 0;
}

uint32_t fathom_execute_channel(fathom_scheduler* scheduler, unsigned channel, uint32_t most) {
  return scheduler->execute(channel, most, TaskScheduler::From::this_channel);
}

uint32_t fathom_execute_line(fathom_scheduler* scheduler, unsigned channel, uint32_t most) {
  return scheduler->execute_line(channel, most);
}

uint32_t fathom_execute_channel_line(fathom_scheduler* scheduler, unsigned channel, uint32_t most) {
  return scheduler->execute_line(channel, most, TaskScheduler::From::this_channel);
}

int fathom_has_ready(const fathom_scheduler* scheduler) {
  return scheduler->has_ready() ? 1 : 0;
}

const char* fathom_task_name(const fathom_scheduler* scheduler, fathom_task task) {
  return scheduler->name(handle_of(task));
}

size_t fathom_find_cycle(const fathom_scheduler* scheduler, size_t room, fathom_task* cycle) {
  try {
    const auto found = scheduler->find_cycle();
    std::transform(found.begin(), found.begin() + std::min(room, found.size()), cycle, task_of);
    return found.size();
  } catch (const std::bad_alloc&) {
    return FATHOM_NO_MEMORY;
  }
}

fathom_status fathom_scheduler_copy(fathom_scheduler* to, const fathom_scheduler* from) {
  return status_of(to->copy_from(*from));
}

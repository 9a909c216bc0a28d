#include "fathom/scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <span>

#include "fathom/rt/task_scheduler.h"

using fathom::rt::TaskScheduler;

// In the caller's memory, before the scheduler's own.
struct fathom_scheduler final : TaskScheduler {
  fathom_scheduler(const fathom_scheduler_options& options, std::span<std::byte> memory);

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

// A body is kept as a function of another type, and called as what it is.
using AnyFunction = void (*)();

TaskScheduler::Outcome call(TaskScheduler& scheduler, TaskScheduler::Body body,
                            TaskScheduler::Handle task, void* context) noexcept {
  auto& self = static_cast<fathom_scheduler&>(scheduler);
  const auto own = reinterpret_cast<fathom_body>(reinterpret_cast<AnyFunction>(body));
  return own(&self, {task.index, task.generation}, context) == FATHOM_BLOCKED
             ? TaskScheduler::Outcome::blocked
             : TaskScheduler::Outcome::done;
}

void tell(void* scheduler, unsigned channel, std::uint32_t count) noexcept {
  const auto& self = *static_cast<const fathom_scheduler*>(scheduler);
  self.on_ready(self.on_ready_context, channel, count);
}

TaskScheduler::Options options_of(const fathom_scheduler_options& options,
                                  fathom_scheduler* scheduler) {
  TaskScheduler::Options own{
      .tasks = options.tasks, .dependencies = options.dependencies, .channels = options.channels};
  if (options.on_ready != nullptr) own.on_ready = {&tell, scheduler};
  return own;
}

constexpr std::size_t kHead = (sizeof(fathom_scheduler) + FATHOM_SCHEDULER_ALIGNMENT - 1) /
                              FATHOM_SCHEDULER_ALIGNMENT * FATHOM_SCHEDULER_ALIGNMENT;

// Calls f(part) for parts of the tasks as handles until one is not done whole.
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

fathom_status create_part(fathom_scheduler& scheduler, std::span<const fathom_spec> specs,
                          fathom_task* tasks) {
  std::array<TaskScheduler::Spec, kAtOnce> own;
  std::array<TaskScheduler::Handle, kAtOnce> handles;
  std::transform(specs.begin(), specs.end(), own.begin(), [](const fathom_spec& spec) {
    return TaskScheduler::Spec{
        .body = reinterpret_cast<TaskScheduler::Body>(reinterpret_cast<AnyFunction>(spec.body)),
        .context = spec.context,
        .channel = spec.channel};
  });
  const auto created = std::span(handles).first(specs.size());
  const auto status = scheduler.create(std::span(own).first(specs.size()), created);
  if (status != TaskScheduler::Status::ok) return status_of(status);
  std::transform(created.begin(), created.end(), tasks, [](TaskScheduler::Handle task) {
    return fathom_task{task.index, task.generation};
  });
  return FATHOM_OK;
}

}  // namespace

fathom_scheduler::fathom_scheduler(const fathom_scheduler_options& options,
                                   std::span<std::byte> memory)
    : TaskScheduler(options_of(options, this), memory, &call),
      on_ready(options.on_ready),
      on_ready_context(options.on_ready_context) {}

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
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, kAtOnce);
    const fathom_status status = create_part(*scheduler, {specs + done, part}, tasks + done);
    if (status != FATHOM_OK) {
      fathom_tasks_free(scheduler, done, tasks, nullptr);
      std::fill(tasks, tasks + count, fathom_task{});
      return status;
    }
    done += part;
  }
  return FATHOM_OK;
}

fathom_status fathom_task_add_dependencies(fathom_scheduler* scheduler, fathom_task task,
                                           size_t count, const fathom_task* on) {
  // In one call, or the first part could make the task ready; so they are not copied but taken for
  // what they look like.
  static_assert(sizeof(fathom_task) == sizeof(TaskScheduler::Handle));
  return status_of(scheduler->add_dependencies(
      handle_of(task), {reinterpret_cast<const TaskScheduler::Handle*>(on), count}));
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

fathom_status fathom_scheduler_copy(fathom_scheduler* to, const fathom_scheduler* from) {
  return status_of(to->copy_from(*from));
}

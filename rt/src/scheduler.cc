#include "fathom/scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <span>

#include "fathom/base/atomic.h"
#include "fathom/rt/task_scheduler.h"

using fathom::rt::TaskScheduler;
namespace base = fathom::base;

// In the caller's memory: this, the functions of the tasks, the scheduler's own.
struct fathom_scheduler final : TaskScheduler {
  fathom_scheduler(const Options& options, std::span<std::byte> memory,
                   base::atomic<fathom_body>* bodies_in)
      : TaskScheduler(options, memory), bodies(bodies_in) {}

  base::atomic<fathom_body>* const bodies;  // by index
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

TaskScheduler::Outcome call(TaskScheduler& scheduler, TaskScheduler::Handle task,
                            void* context) noexcept {
  auto& self = static_cast<fathom_scheduler&>(scheduler);
  const fathom_body body = self.bodies[task.index].load(base::memory_order_relaxed);
  return body(&self, {task.index, task.generation}, context) == FATHOM_BLOCKED
             ? TaskScheduler::Outcome::blocked
             : TaskScheduler::Outcome::done;
}

TaskScheduler::Options options_of(const fathom_scheduler_options& options) {
  return {.tasks = options.tasks,
          .dependencies = options.dependencies,
          .channels = options.channels,
          .on_ready = {
              reinterpret_cast<void (*)(void*, unsigned, std::uint32_t) noexcept>(options.on_ready),
              options.on_ready_context}};
}

// Where the parts of the memory begin.
struct Layout {
  std::size_t bodies, scheduler, end;
};

std::optional<Layout> layout_of(const TaskScheduler::Options& options) {
  const auto size = TaskScheduler::memory_size(options);
  if (!size) return std::nullopt;
  const auto rounded = [](std::size_t bytes) {
    return (bytes + FATHOM_SCHEDULER_ALIGNMENT - 1) / FATHOM_SCHEDULER_ALIGNMENT *
           FATHOM_SCHEDULER_ALIGNMENT;
  };
  // The scheduler's own part is larger than the functions: no sum overflows that did not there.
  const std::size_t bodies = rounded(sizeof(fathom_scheduler));
  const std::size_t scheduler = bodies + rounded(sizeof(fathom_body) * options.tasks);
  return Layout{.bodies = bodies, .scheduler = scheduler, .end = scheduler + rounded(*size)};
}

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
    return TaskScheduler::Spec{.body = spec.body == nullptr ? nullptr : &call,
                               .context = spec.context,
                               .channel = spec.channel};
  });
  const auto created = std::span(handles).first(specs.size());
  const auto status = scheduler.create(std::span(own).first(specs.size()), created);
  if (status != TaskScheduler::Status::ok) return status_of(status);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    // Visible to who runs the task by what makes it ready.
    scheduler.bodies[created[i].index].store(specs[i].body, base::memory_order_relaxed);
    tasks[i] = {created[i].index, created[i].generation};
  }
  return FATHOM_OK;
}

}  // namespace

size_t fathom_scheduler_size(const fathom_scheduler_options* options) {
  const auto layout = layout_of(options_of(*options));
  return layout ? layout->end : 0;
}

fathom_scheduler* fathom_scheduler_init(const fathom_scheduler_options* options, void* memory,
                                        size_t size) {
  const TaskScheduler::Options own = options_of(*options);
  const auto layout = layout_of(own);
  const bool aligned = reinterpret_cast<std::uintptr_t>(memory) % FATHOM_SCHEDULER_ALIGNMENT == 0;
  if (!layout || memory == nullptr || !aligned || size < layout->end) return nullptr;
  auto* const begin = static_cast<std::byte*>(memory);
  auto* const bodies = reinterpret_cast<base::atomic<fathom_body>*>(begin + layout->bodies);
  for (std::uint32_t i = 0; i < own.tasks; ++i) new (bodies + i) base::atomic<fathom_body>(nullptr);
  return new (begin)
      fathom_scheduler(own, {begin + layout->scheduler, layout->end - layout->scheduler}, bodies);
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
  // One call, or the first part could make the task ready.
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
  const auto status = to->copy_from(*from);
  if (status != TaskScheduler::Status::ok) return status_of(status);
  for (std::uint32_t i = 0; i < to->options().tasks; ++i) {
    to->bodies[i].store(from->bodies[i].load(base::memory_order_relaxed),
                        base::memory_order_relaxed);
  }
  return FATHOM_OK;
}

// WorkSlots: two tasks per piece of work, and a list of the idle slots.

#include "dups/work_slots.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "dups/buffer_size.h"
#include "fathom/base/memory_tag.h"

namespace fathom::fs {

namespace {

using sched::TaskScheduler;

enum Channel : unsigned { kReading, kComparing, kChannels };

}  // namespace

struct WorkSlots::Slot {
  explicit Slot(WorkSlots& owner_in) : owner(owner_in) {}

  WorkSlots& owner;
  std::unique_ptr<WorkItem> work;
  BlockBuffer buffer;
};

void BlockBuffer::clear() {
  used_ = 0;
  blocks.clear();
}

std::span<std::byte> BlockBuffer::room(std::size_t bytes) {
  if (!bytes_) bytes_.reset(new std::byte[kBufferBytes]);
  const std::span<std::byte> block{bytes_.get() + used_, bytes};
  used_ += aligned(bytes);
  return block;
}

WorkSlots::WorkSlots(std::function<std::unique_ptr<WorkItem>()> next, rt::CancelToken cancel,
                     const rt::Observer* observer)
    : next_(std::move(next)), cancel_(std::move(cancel)), observer_(observer) {}

WorkSlots::~WorkSlots() {
  stopped_.store(true, base::memory_order_relaxed);
}

void WorkSlots::start(rt::Executor& executor, unsigned slots) {
  // A slot has two tasks, and two more while those two end; the places of finished tasks become
  // free only when their worker has finished its line of tasks.
  const std::uint32_t most = std::max(slots, executor.max_threads());
  const std::uint32_t places = 4 * most + TaskScheduler::kMostAtOnce * executor.max_threads();
  runner_ = std::make_unique<sched::TaskRunner>(
      executor,
      TaskScheduler::Options{.tasks = places, .dependencies = places, .channels = kChannels});
  grow(slots);
}

void WorkSlots::grow(unsigned slots) {
  while (slots_.size() < slots) {
    Slot& slot = *slots_.emplace_back(std::make_unique<Slot>(*this));
    {
      const std::lock_guard lock(mutex_);
      idle_slots_.reserve(++slot_count_);
    }
    assign_work(slot);
  }
}

bool WorkSlots::wait_for(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  const auto all_idle = [&] { return idle_slots_.size() == slot_count_; };
  if (!all_idle_.wait_for(lock, duration, all_idle)) return false;
  if (error_) std::rethrow_exception(error_);
  return true;
}

// Gives the slot new work, if there is any.
void WorkSlots::assign_work(Slot& slot) noexcept {
  try {
    if (begin_work(slot)) return;
  } catch (...) {
    fail(std::current_exception());
  }
  const std::lock_guard lock(mutex_);
  idle_slots_.push_back(&slot);  // cannot allocate: see grow()
  if (idle_slots_.size() == slot_count_) all_idle_.notify_all();
}

bool WorkSlots::begin_work(Slot& slot) {
  {
    const std::lock_guard lock(mutex_);
    slot.work = take_work();
  }
  if (slot.work == nullptr) return false;
  slot.buffer.clear();
  const auto read_task = [](TaskScheduler&, TaskScheduler::Handle, void* context) noexcept {
    auto& at = *static_cast<Slot*>(context);
    const base::MemoryTag tag("dups");
    try {
      const rt::ObservedPhase phase(at.owner.observer_, "read");
      at.work->read(at.buffer);
    } catch (...) {
      at.owner.fail(std::current_exception());
    }
    return TaskScheduler::Outcome::done;
  };
  const auto compare_task = [](TaskScheduler&, TaskScheduler::Handle, void* context) noexcept {
    auto& at = *static_cast<Slot*>(context);
    const base::MemoryTag tag("dups");
    try {
      const rt::ObservedPhase phase(at.owner.observer_, "compare");
      if (!at.owner.is_over()) at.work->compare(at.buffer);
    } catch (...) {
      at.owner.fail(std::current_exception());
    }
    at.owner.assign_work(at);
    return TaskScheduler::Outcome::done;
  };
  TaskScheduler& scheduler = runner_->scheduler();
  std::array<TaskScheduler::Handle, 2> tasks;
  auto status =
      scheduler.create({{read_task, &slot, kReading}, {compare_task, &slot, kComparing}}, tasks);
  if (status == TaskScheduler::Status::ok) {
    status = scheduler.add_dependencies(tasks[1], {tasks.data(), 1});
  }
  if (status == TaskScheduler::Status::ok) status = scheduler.ready(tasks[0]);
  if (status != TaskScheduler::Status::ok) {
    throw std::logic_error("each slot has room for its tasks");
  }
  return true;
}

// Call it with the mutex locked. Takes work that was begun first, to keep little work in progress.
std::unique_ptr<WorkItem> WorkSlots::take_work() {
  if (is_over()) return nullptr;
  if (added_.empty()) return next_();
  std::unique_ptr<WorkItem> next = std::move(added_.front());
  added_.pop_front();
  return next;
}

void WorkSlots::add(WorkItems work) {
  std::vector<Slot*> called;
  {
    const std::lock_guard lock(mutex_);
    for (auto& one : work) added_.push_back(std::move(one));
    called.reserve(std::min(idle_slots_.size(), work.size()));
    while (called.size() < work.size() && !idle_slots_.empty()) {
      called.push_back(idle_slots_.back());
      idle_slots_.pop_back();
    }
  }
  for (Slot* const slot : called) assign_work(*slot);
}

void WorkSlots::fail(std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped_.store(true, base::memory_order_relaxed);
}

}  // namespace fathom::fs

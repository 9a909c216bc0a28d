// ReadyRange: collects tasks that became ready. Consecutive tasks of one channel are pushed
// together and reported together.

#pragma once

#include <cstdint>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/sched/task_scheduler.h"
#include "scheduler_memory.h"

namespace fathom::sched {

class TaskScheduler::ReadyRange {
 public:
  explicit ReadyRange(TaskScheduler& scheduler) noexcept : scheduler_(scheduler) {}
  ReadyRange(const ReadyRange&) = delete;
  ReadyRange& operator=(const ReadyRange&) = delete;
  ~ReadyRange() { flush(); }

  // The next task of the channel is not pushed: take_kept() returns it.
  void keep_one_of(unsigned channel) noexcept { keeps_ = channel; }
  // The task that was kept; kNoIndex if none.
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

  // Like add(), but never keeps the task.
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
    if (count_ != 0) publish();
  }

 private:
  static constexpr unsigned kNoChannel = kMostChannels;

  void publish() noexcept {
    scheduler_.ready_tasks(channel_).push_in_order(first_, last_);
    scheduler_.ready_channels().note(channel_);
    const OnReady& on_ready = scheduler_.options_.on_ready;
    if (on_ready.call != nullptr) on_ready.call(on_ready.context, channel_, count_);
    count_ = 0;
  }

  TaskScheduler& scheduler_;
  unsigned keeps_ = kNoChannel;
  std::uint32_t kept_ = kNoIndex;
  unsigned channel_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace fathom::sched

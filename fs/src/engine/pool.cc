// PoolEngine: a stack of work items behind one mutex.

#include "engine/pool.h"

#include "engine/team.h"

namespace fathom::fs {

void PoolEngine::run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
                     const Tick& tick) {
  queue_ = first;
  unfinished_ = first.size();
  Team team(threads_, observer_, [this](unsigned worker) { work(worker); });
  threads_ = team.size();
  team.wait(interval, tick);
}

void PoolEngine::spawn(Work& work, unsigned /*worker*/) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&work);
    ++unfinished_;
  }
  changed_.notify_one();
}

std::optional<std::size_t> PoolEngine::queued() {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void PoolEngine::work(unsigned worker) {
  while (Work* work = take()) {
    run_observed(*work, worker, observer_);
    const std::lock_guard lock(mutex_);
    if (--unfinished_ == 0) changed_.notify_all();
  }
}

// Null if there will be no more work.
Work* PoolEngine::take() {
  std::unique_lock lock(mutex_);
  idle_.fetch_add(1, base::memory_order_relaxed);
  wait_observed(changed_, lock, observer_, [this] { return !queue_.empty() || unfinished_ == 0; });
  idle_.fetch_sub(1, base::memory_order_relaxed);
  if (queue_.empty()) return nullptr;
  Work* work = queue_.back();
  queue_.pop_back();
  return work;
}

}  // namespace fathom::fs

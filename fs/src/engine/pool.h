// PoolEngine: a conventional thread pool: one queue, one mutex, one condition variable.

#pragma once

#include <vector>

#include "engine/engine.h"
#include "fathom/base/atomic.h"
#include "fathom/base/mutex.h"

namespace fathom::fs {

class PoolEngine final : public WorkEngine {
 public:
  PoolEngine(unsigned threads, const rt::Observer* observer)
      : threads_(threads), observer_(observer) {}

  void run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
           const Tick& tick) override;
  void spawn(Work& work, unsigned worker) override;
  [[nodiscard]] bool has_idle_worker() const override {
    return idle_.load(base::memory_order_relaxed) > 0;
  }
  [[nodiscard]] unsigned threads() const override { return threads_; }
  [[nodiscard]] std::optional<std::size_t> queued() override;

 private:
  void work(unsigned worker);
  Work* take();

  unsigned threads_;
  const rt::Observer* const observer_;
  base::Mutex mutex_ = base::named_mutex("pool: queue");
  base::ConditionVariable changed_;  // there is work, or all work is done
  std::vector<Work*> queue_;         // guarded by mutex_; the newest is taken first
  std::size_t unfinished_ = 0;       // queued or running; guarded by mutex_
  base::atomic<unsigned> idle_{0};   // a hint; written under mutex_
};

}  // namespace fathom::fs

// StealEngine: a deque per worker, each behind its own mutex. A worker takes its newest work item;
// a worker without any takes the older half of another's.

#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/mutex.h"

namespace fathom::fs {

class StealEngine final : public WorkEngine {
 public:
  StealEngine(unsigned threads, const rt::Observer* observer);

  void run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
           const Tick& tick) override;
  void spawn(Work& work, unsigned worker) override;
  [[nodiscard]] bool has_idle_worker() const override {
    return idle_.load(base::memory_order_relaxed) > 0;
  }
  [[nodiscard]] unsigned threads() const override { return threads_; }
  [[nodiscard]] std::optional<std::size_t> queued() override;

 private:
  struct alignas(base::kCacheLine) Worker {
    base::Mutex mutex = base::named_mutex("steal: a worker's deque");
    std::deque<Work*> works;  // guarded by mutex; the newest at the back
  };

  void work(unsigned worker);
  Work* take(unsigned worker);
  Work* take_own(unsigned worker);
  Work* steal(unsigned thief);
  Work* steal_half(unsigned from, unsigned to);
  void finish_one();

  unsigned threads_;
  const rt::Observer* const observer_;
  std::vector<std::unique_ptr<Worker>> workers_;

  // Queued or running. [S1] each decrement is a release and an acquire: a thread that sees 0 sees
  // all results.
  base::atomic<std::size_t> unfinished_{0};

  base::Mutex idle_mutex_ = base::named_mutex("steal: idle workers");
  base::ConditionVariable changed_;  // there is work, or all work is done
  std::size_t spawned_ = 0;          // guarded by idle_mutex_; counted only while a worker is idle
  base::atomic<unsigned> idle_{0};   // workers that wait or are about to
};

}  // namespace fathom::fs

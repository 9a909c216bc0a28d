// LockfreeEngine: uses the runtime's executor, with a Chase-Lev deque per worker, and parking.

#pragma once

#include <vector>

#include "engine/engine.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::fs {

class LockfreeEngine final : public WorkEngine {
 public:
  LockfreeEngine(unsigned threads, unsigned limit, const rt::Observer* observer);

  void run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
           const Tick& tick) override;
  void spawn(Work& work, unsigned worker) override;
  [[nodiscard]] bool has_idle_worker() const override { return executor_.wants_work(); }
  [[nodiscard]] unsigned threads() const override { return executor_.started_threads(); }
  [[nodiscard]] std::optional<std::size_t> queued() override { return executor_.queued_hint(); }
  void grow(unsigned threads) override { executor_.grow(threads); }

 private:
  rt::Executor executor_;
  rt::TaskGroup group_{executor_};
};

}  // namespace fathom::fs

// SerialEngine: one thread, depth first. The reference for measuring the other engines.

#pragma once

#include <vector>

#include "engine/engine.h"

namespace fathom::fs {

class SerialEngine final : public WorkEngine {
 public:
  explicit SerialEngine(const rt::Observer* observer) : observer_(observer) {}

  void run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
           const Tick& tick) override;
  void spawn(Work& work, unsigned worker) override;
  [[nodiscard]] bool has_idle_worker() const override { return false; }
  [[nodiscard]] unsigned threads() const override { return 1; }

 private:
  const rt::Observer* const observer_;
  std::vector<Work*> stack_;  // used by the one thread only
};

}  // namespace fathom::fs

// Budget: how much a shard may still look at.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "fathom/base/atomic.h"

namespace fathom::fs {

// Thread-safe. Nothing is published through it.
class Budget {
 public:
  // At least 1 entry.
  explicit Budget(std::uint64_t entries)
      : most_(static_cast<std::int64_t>(
            std::clamp<std::uint64_t>(entries, 1, std::numeric_limits<std::int64_t>::max()))) {}

  // Whether another entry may be looked at.
  bool take() { return !spent() && left_.fetch_sub(1, base::memory_order_relaxed) > 0; }
  [[nodiscard]] bool spent() const { return left_.load(base::memory_order_relaxed) <= 0; }

  // The time is over. Has no effect before the first entry, so that each shard gets on.
  void end() {
    if (left_.load(base::memory_order_relaxed) < most_) {
      left_.store(0, base::memory_order_relaxed);
    }
  }

 private:
  const std::int64_t most_;
  base::atomic<std::int64_t> left_{most_};
};

}  // namespace fathom::fs

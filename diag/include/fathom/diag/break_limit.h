// BreakLimit: a limit whose first violation stops the program. An implementation detail of
// break_when(); users include break.h.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "fathom/base/atomic.h"

namespace fathom::diag {

// Thread-safe. The limit and the number of times convey nothing about other data, so accesses to
// them are relaxed. `claimed_` hands both from one Break to the next.
class BreakLimit {
 public:
  constexpr BreakLimit() noexcept = default;
  BreakLimit(const BreakLimit&) = delete;
  BreakLimit& operator=(const BreakLimit&) = delete;

  // ---- For what is watched

  [[nodiscard]] bool is_armed() const noexcept { return limit() != kNone; }
  [[nodiscard]] std::int64_t limit() const noexcept {
    return limit_.load(base::memory_order_relaxed);
  }
  // False if it is not armed.
  [[nodiscard]] bool is_below(std::int64_t value) const noexcept { return limit() < value; }
  // Disarms it if it is below the value. Of several threads, only one gets the limit, and must
  // stop().
  [[nodiscard]] std::optional<std::int64_t> take(std::int64_t value) noexcept;
  // Prints the reason, a line without its end, and raises SIGTRAP. Does not allocate.
  static void stop(const char* reason) noexcept;

  // ---- For its Break

  // False if it belongs to another Break.
  [[nodiscard]] bool claim() noexcept;
  void arm(std::int64_t limit) noexcept { limit_.store(limit, base::memory_order_relaxed); }
  // Disarms it and leaves it to another Break.
  void give_up() noexcept;
  [[nodiscard]] std::uint64_t times() const noexcept {
    return times_.load(base::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  base::atomic<std::int64_t> limit_{kNone};
  base::atomic<std::uint64_t> times_{0};
  base::atomic<bool> claimed_{false};
};

}  // namespace fathom::diag

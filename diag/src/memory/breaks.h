// MemoryBreaks: the limits of live bytes, by tag and in total, and the stop where one is exceeded.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/diag/break_limit.h"
#include "memory/limits.h"

namespace fathom::diag {

class MemoryBreaks {
 public:
  [[nodiscard]] static BreakLimit& of(std::size_t sum) noexcept { return limits_[sum]; }

  // For a thread that has added to the sum. `told`: the sum without what other threads have not
  // added yet.
  static void look(std::size_t sum, std::int64_t told) noexcept {
    if (limits_[sum].is_below(told)) [[unlikely]]
      exceeded(sum, told);
  }

 private:
  static void exceeded(std::size_t sum, std::int64_t told) noexcept;

  static constinit inline std::array<BreakLimit, kMemorySums> limits_{};
};

}  // namespace fathom::diag

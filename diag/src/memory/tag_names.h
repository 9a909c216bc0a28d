// MemoryTagNames: numbers for tags. Numbers are never reused.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "memory/limits.h"

namespace fathom::diag {

class MemoryTagNames {
 public:
  static constexpr std::uint8_t kNone = 0;
  static constexpr std::uint8_t kOther = kMemoryTags - 1;

  // Returns the same number for equal text; kNone for null. Lock-free, and does not allocate. Keeps
  // the pointer forever.
  static std::uint8_t number_of(const char* name) noexcept;
  // Null for an unused number.
  static const char* name_of(std::size_t number) noexcept;

 private:
  // By number; filled from 1 on.
  static constinit inline std::array<base::atomic<const char*>, kMemoryTags> names_{};
};

}  // namespace fathom::diag

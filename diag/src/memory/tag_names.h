// MemoryTagNames: the tags that there were, by number. Numbers are never given back.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "memory/count.h"

namespace fathom::diag {

class MemoryTagNames {
 public:
  static constexpr std::uint8_t kNone = 0;
  static constexpr std::uint8_t kOther = MemoryCount::kTags - 1;

  // The same number for the same text; kNone for null. Waits for nobody and needs no memory. Keeps
  // the pointer for ever.
  static std::uint8_t number_of(const char* name) noexcept;
  // Null for a number that nobody has.
  static const char* name_of(std::size_t number) noexcept;

 private:
  // By number; filled from 1 on.
  static constinit inline std::array<base::atomic<const char*>, MemoryCount::kTags> names_{};
};

}  // namespace fathom::diag

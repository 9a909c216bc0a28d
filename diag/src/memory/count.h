// MemoryCount: the bookkeeping behind operators new and delete.
//
// A counted block has a trailer in the last bytes that malloc_usable_size() reports: its tag, its
// phase, the requested size, and a mark computed from these and its address. Blocks therefore keep
// their alignment, and a block that was never counted is recognized by the missing mark (except
// with a probability of 2^-64), whichever thread frees it. The mark is erased before the block is
// freed.
//
// Counters belong to threads, which write them without locked instructions; a report adds them up.
// The counters of a thread that has ended are reused by a later thread and continue. Peaks need
// sums at run time: a thread adds its changes to the common sums whenever they reach a grain, and
// before a peak is raised the changes that other threads have not added yet are included.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/diag/memory.h"
#include "memory/limits.h"

namespace fathom::diag {

class MemoryCount {
 public:
  // ---- For operators new and delete

  [[nodiscard]] static bool counts() noexcept { return counts_.load(base::memory_order_relaxed); }
  // Like malloc(), or aligned_alloc() if the alignment exceeds malloc()'s.
  [[nodiscard]] static void* allocate(std::size_t size, std::size_t alignment) noexcept;
  // Call before the block is freed.
  static void leave(void* block) noexcept;

  // ---- Implementations of the public functions

  static void start(const MemoryOptions& options);
  [[nodiscard]] static MemoryMark mark();
  [[nodiscard]] static const char* tag_of(const void* block) noexcept;
  // By tag number, of the phases in [since, until); a tag without blocks has an empty name.
  [[nodiscard]] static std::array<TagMemory, kMemoryTags> sums(std::uint32_t since,
                                                               std::uint32_t until);
  // The same without tags that have no blocks, most live bytes first.
  [[nodiscard]] static std::vector<TagMemory> tags(std::uint32_t since, std::uint32_t until);
  // Of all phases.
  [[nodiscard]] static MemoryReport report();

  [[nodiscard]] static std::uint32_t phase_of(MemoryMark mark) noexcept { return mark.phase_; }

  // Called once before main() if the program has counting operators.
  static void announce_operators() noexcept;
  [[nodiscard]] static bool can_count() noexcept { return can_count_; }

 private:
  static constinit inline bool can_count_ = false;
  static constinit inline base::atomic<bool> counts_{false};
};

}  // namespace fathom::diag

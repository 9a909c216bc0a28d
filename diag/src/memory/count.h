// MemoryCount: what operators new and delete tell, and what is known from it.
//
// A counted block has a trailer in the last bytes that malloc_usable_size() tells of it: who
// allocated it, how much was asked for, and a mark made of both and its address. So a block keeps
// its alignment, and one that was never counted is known by having no mark (but for a chance of one
// in 2^64), whoever frees it. The mark is wiped before the block goes back.
//
// Counters belong to threads, which write them without any locked instruction; a report sums them.
// Those of a thread that has ended are taken over by a later one, and count on. Peaks need sums
// meanwhile: a thread adds what it has to the common ones whenever it comes to a grain, and before
// a peak is raised what the others have not added yet is looked at.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/diag/memory.h"

namespace fathom::diag {

class MemoryCount {
 public:
  // Tags that are told apart; the first is of who has none, the last of all that come too late.
  static constexpr std::size_t kTags = 64;
  // Sums of live bytes: of each tag, and of all of them together.
  static constexpr std::size_t kAll = kTags;
  static constexpr std::size_t kSums = kAll + 1;
  static constexpr std::size_t kPhases = MemoryMark::kMost + 1;

  // ---- Operators new and delete.

  [[nodiscard]] static bool counts() noexcept { return counts_.load(base::memory_order_relaxed); }
  // As malloc(), or aligned_alloc() if the alignment is more than malloc()'s own.
  [[nodiscard]] static void* allocate(std::size_t size, std::size_t alignment) noexcept;
  // The block is going to be freed.
  static void leave(void* block) noexcept;

  // ---- The public functions of the same meaning.

  static void start(const MemoryOptions& options);
  [[nodiscard]] static MemoryMark mark();
  // By number, of the phases from one on, before another one; a tag without any block has none.
  [[nodiscard]] static std::array<TagMemory, kTags> sums(std::uint32_t since, std::uint32_t until);
  // The same without those that have no block, the most live bytes first.
  [[nodiscard]] static std::vector<TagMemory> tags(std::uint32_t since, std::uint32_t until);
  // Of all phases.
  [[nodiscard]] static MemoryReport report();

  [[nodiscard]] static std::uint32_t phase_of(MemoryMark mark) noexcept { return mark.phase_; }

  // Operators that count say that they are in the program; once, before main().
  static void announce_operators() noexcept;
  [[nodiscard]] static bool can_count() noexcept { return can_count_; }

 private:
  static constinit inline bool can_count_ = false;
  static constinit inline base::atomic<bool> counts_{false};
};

}  // namespace fathom::diag

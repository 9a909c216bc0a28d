// MemorySamples: the sampled blocks, their stacks, and what they stand for.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fathom/diag/memory.h"

namespace fathom::diag {

// Thread-safe. All functions allocate while they hold a lock: callers must ensure that these
// allocations are not sampled. Never destroyed.
class MemorySamples {
 public:
  static MemorySamples& all();

  // Records a block that the calling thread allocated, with the bytes and blocks that it stands
  // for.
  void add(const void* block, double bytes, double blocks);
  // Removes a block that is freed.
  void remove(const void* block) noexcept;

  [[nodiscard]] std::vector<AllocationSite> sites();

  // ---- Around a fork(), on its thread

  void lock() { mutex_.lock(); }
  // Like remove(), between lock() and unlock().
  void remove_locked(const void* block) noexcept;
  void unlock() { mutex_.unlock(); }

 private:
  // Further stacks beyond this number are merged into an empty one.
  static constexpr std::size_t kMostStacks = 1U << 14U;

  struct Site {
    base::Stack stack;
    std::uint64_t samples = 0;
    double live_bytes = 0;
    double live_blocks = 0;
    double allocated_bytes = 0;
    double allocated_blocks = 0;
  };
  struct Block {
    Site* site;
    double bytes;
    double blocks;
  };
  using Frames = std::vector<std::uintptr_t>;

  Site& site_of(base::Stack stack);

  std::mutex mutex_;
  std::map<Frames, Site> sites_;                   // guarded by mutex_; elements are never removed
  std::unordered_map<const void*, Block> blocks_;  // live sampled blocks; guarded by mutex_
};

}  // namespace fathom::diag

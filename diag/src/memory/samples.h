// MemorySamples: the blocks whose stacks were taken, and what they stand for.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fathom/diag/memory.h"

namespace fathom::diag {

// Thread-safe. All functions allocate while they hold a lock: callers see to it that this is not
// sampled in turn. Never destroyed.
class MemorySamples {
 public:
  static MemorySamples& all();

  // A block that stands for so many bytes and blocks was allocated by the calling thread.
  void add(const void* block, double bytes, double blocks);
  // It is freed.
  void remove(const void* block) noexcept;

  [[nodiscard]] std::vector<AllocationSite> sites();

  // ---- Around a fork(), on its thread.

  void lock() { mutex_.lock(); }
  // As remove(), between the two.
  void remove_locked(const void* block) noexcept;
  void unlock() { mutex_.unlock(); }

 private:
  // Beyond so many stacks, further ones are one without calls.
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
  std::map<Frames, Site> sites_;                   // guarded by mutex_; its elements stay
  std::unordered_map<const void*, Block> blocks_;  // that are live; guarded by mutex_
};

}  // namespace fathom::diag

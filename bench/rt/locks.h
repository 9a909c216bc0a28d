// Locks: the cases that compare one lock with two. bench_rt times them; bench_locks, in which the
// locks are profiled, measures how long threads wait for each.

#pragma once

#include <cstdint>
#include <string>

#include "fathom/rt/two_lock_queue.h"
#include "rt/contender.h"
#include "rt/fathom_queues.h"
#include "rt/one_lock_queue.h"
#include "rt/transfer.h"

namespace fathom::bench {

using OneLock = OneLockQueue<LinkedItems>;
using OneLockStdQueue = OneLockQueue<QueuedItems>;
using TwoLocks = FathomQueue<rt::TwoLockQueue<Item>>;

// As many items in each shape as 50 writers with 1,000 each.
inline constexpr std::uint64_t kLockedItems = 50'000;
inline constexpr unsigned kLockedShapes[] = {1, 4, 16, 50};

inline Plan locked_plan(unsigned threads) {
  return {threads, threads, kLockedItems / threads};
}

inline std::string locked_shape(unsigned threads) {
  return std::to_string(threads) + 'x' + std::to_string(threads);
}

}  // namespace fathom::bench

// Code that must not compile, one case at a time: see the tests refused_* in CMakeLists.txt. Case 0
// compiles, which shows that the others fail only for their own reason.

#include <cstdint>
#include <string>

#include "fathom/rt/deque.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/mpsc_queue.h"
#include "fathom/rt/spsc_ring.h"
#include "fathom/rt/task.h"
#include "fathom/rt/two_lock_queue.h"

namespace fathom::rt {
namespace {

struct ThrowsOnMove {
  ThrowsOnMove() = default;
  ThrowsOnMove(ThrowsOnMove&& /*other*/) noexcept(FATHOM_REFUSED == 0) {}
};
struct ThrowsAtItsEnd {
  ThrowsAtItsEnd() = default;
  ThrowsAtItsEnd(ThrowsAtItsEnd&& /*other*/) noexcept {}
  ~ThrowsAtItsEnd() noexcept(FATHOM_REFUSED == 0) {}
};
struct TwoWords {
  std::uint64_t first;
  std::uint64_t second;
};

[[maybe_unused]] void make() {
#if FATHOM_REFUSED == 0
  const WorkStealingDeque<int*> pointers;
  const WorkStealingDeque<std::uint64_t> words;
  MpmcRing<int> ring(1);
  ring.try_pop_batch(1, [](int) noexcept {});
  [[maybe_unused]] const auto task = make_task([]() noexcept {});
#elif FATHOM_REFUSED == 1
  const WorkStealingDeque<std::string> deque;
#elif FATHOM_REFUSED == 2
  const WorkStealingDeque<TwoWords> deque;
#elif FATHOM_REFUSED == 3
  MpmcRing<int> ring(1);
  ring.try_pop_batch(1, [](int) {});
#elif FATHOM_REFUSED == 4
  [[maybe_unused]] const auto task = make_task([] {});
#endif
#if FATHOM_REFUSED == 0 || FATHOM_REFUSED == 5
  const SpscRing<ThrowsOnMove> spsc_ring(1);
#endif
#if FATHOM_REFUSED == 0 || FATHOM_REFUSED == 6
  const MpmcRing<ThrowsOnMove> mpmc_ring(1);
#endif
#if FATHOM_REFUSED == 0 || FATHOM_REFUSED == 7
  const MpscQueue<ThrowsOnMove> mpsc_queue;
#endif
#if FATHOM_REFUSED == 0 || FATHOM_REFUSED == 8
  const TwoLockQueue<ThrowsOnMove> two_lock_queue;
#endif
#if FATHOM_REFUSED == 0 || FATHOM_REFUSED == 9
  const MpmcRing<ThrowsAtItsEnd> mpmc_ring_of_others(1);
#endif
}

}  // namespace
}  // namespace fathom::rt

// LightEventCount: membarrier, and yielding before going to sleep.

#include "fathom/rt/light_event_count.h"

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#define FATHOM_RT_MEMBARRIER 1
#else
#define FATHOM_RT_MEMBARRIER 0
#endif

#include <chrono>
#include <exception>
#include <thread>

#include "fathom/base/clock.h"

namespace fathom::rt {

namespace {

constexpr std::chrono::microseconds kLong{100};
constexpr unsigned kWaitsWithout = 64;

bool register_process() noexcept {
#if FATHOM_RT_MEMBARRIER
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
         ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
#else
  return false;
#endif
}

}  // namespace

bool LightEventCount::has_membarrier() noexcept {
  static const bool works = register_process();
  return works;
}

bool LightEventCount::pause(int look, Yielding& since) noexcept {
  if (look < kSpins) {
    for (int i = 0; i < 1 << look; ++i) base::cpu_relax();
    return true;
  }
  const unsigned without = without_yields_.load(base::memory_order_relaxed);
  if (without > 0) {
    without_yields_.store(without - 1, base::memory_order_relaxed);
    return false;
  }
  if (look == kSpins) since = {.wall = base::monotonic_now(), .used = base::processor_time()};
  std::this_thread::yield();
  const auto took = base::monotonic_now() - since.wall;
  if (took < kLong) return true;
  // The yields were worth it if threads of this program used the processors meanwhile.
  const auto used = base::processor_time() - since.used;
  if (used < took / 2) without_yields_.store(kWaitsWithout, base::memory_order_relaxed);
  return true;
}

void LightEventCount::fence_everywhere() noexcept {
#if FATHOM_RT_MEMBARRIER
  // The registration lasts until exec. Without the barrier a wake-up could be lost.
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0 &&
      !register_process()) {
    std::terminate();
  }
#endif
}

}  // namespace fathom::rt

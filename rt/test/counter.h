// Counter: counts what tasks do, and orders nothing.

#pragma once

#include "fathom/base/atomic.h"

namespace fathom::rt {

using Counter = base::atomic<unsigned>;

inline void count(Counter& counter) {
  counter.fetch_add(1, base::memory_order_relaxed);
}
inline unsigned value(const Counter& counter) {
  return counter.load(base::memory_order_relaxed);
}

}  // namespace fathom::rt

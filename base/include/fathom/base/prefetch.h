// prefetch_to_write(): asks for a cache line that this thread will write soon.
//
//   prefetch_to_write(&slots[next]);  // while this thread does something else

#pragma once

namespace fathom::base {

// Only a hint: any address is permitted, and nothing is ordered. The line arrives ready to be
// written. A load that misses, or __builtin_prefetch() on x86-64 without -mprfchw, makes a copy to
// share, and the processor asks other cores a second time when the line is written.
inline void prefetch_to_write(const void* at) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("prefetchw (%0)" : : "r"(at));
#else
  __builtin_prefetch(at, 1);
#endif
}

}  // namespace fathom::base

// Atomics: the atomic types and operations that all of Fathom uses, std::atomic by default.
//
// A build that defines FATHOM_ATOMIC_HEADER includes that header instead, which declares the same
// names with a model checker's types. Without it these are aliases and cost nothing.
//
//   atomic<bool> ready{false};
//   ready.store(true, memory_order_release);  // pairs with the acquire in wait()

#pragma once

#ifdef FATHOM_ATOMIC_HEADER
#include FATHOM_ATOMIC_HEADER
#else

#include <atomic>

namespace fathom::base {

template <class T>
using atomic = std::atomic<T>;

// For memory that others write too, such as a page that the kernel shares.
using std::atomic_ref;

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// Orders the accesses of this thread around it, like std::atomic_thread_fence().
//
// ThreadSanitizer does not model fences: code that relies on one says so, and says why it is
// correct.
inline void fence(memory_order order) noexcept {
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  std::atomic_thread_fence(order);
#pragma GCC diagnostic pop
}

// Hints to the processor that this thread spins, which saves power and helps the sibling
// hyperthread. It orders nothing and never yields the processor.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // yield does nothing on most cores; isb waits about as long as x86's pause.
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace fathom::base

#endif

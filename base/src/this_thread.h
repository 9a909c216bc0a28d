// ThisThread: a number of the calling thread that no thread of another process has.

#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace fathom::base {

inline int thread_number() noexcept {
  return static_cast<int>(::syscall(SYS_gettid));
}

// The process id is in the upper half: a child of vfork() shares this memory, and a child of fork()
// has a copy of it.
inline std::uint64_t this_thread() noexcept {
  return static_cast<std::uint64_t>(::getpid()) << 32 | static_cast<std::uint32_t>(thread_number());
}

inline bool is_of_this_process(std::uint64_t thread) noexcept {
  return thread >> 32 == static_cast<std::uint64_t>(::getpid());
}

}  // namespace fathom::base

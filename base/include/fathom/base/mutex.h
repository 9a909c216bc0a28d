// The mutexes of whatever may be asked who waits for whom: std::mutex by another name.
//
// One place to swap them, as in atomic.h: a build that defines FATHOM_MUTEX_HEADER includes that
// header instead, which declares the same names with a mutex that keeps a profile. Otherwise these
// are std's own, and cost nothing over them.
//
//   Mutex mutex_ = named_mutex("queue");
//   ConditionVariable changed_;
//   ...
//   std::unique_lock lock(mutex_);
//   changed_.wait(lock, [this] { return !queue_.empty(); });

#pragma once

#ifdef FATHOM_MUTEX_HEADER
#include FATHOM_MUTEX_HEADER
#else

#include <condition_variable>
#include <mutex>

namespace fathom::base {

using Mutex = std::mutex;

// Works with a std::unique_lock<Mutex>.
using ConditionVariable = std::condition_variable;

// What a profile calls it, if there is one. The name stays as it is for as long as the mutex is.
inline Mutex named_mutex(const char* /*name*/) noexcept {
  return Mutex();
}

}  // namespace fathom::base

#endif

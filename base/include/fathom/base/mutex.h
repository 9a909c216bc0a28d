// Mutex: a mutex type that a build can swap for one that profiles contention; std::mutex by
// default.
//
// As in atomic.h: a build that defines FATHOM_MUTEX_HEADER includes that header instead, which
// declares the same names with a profiled mutex. Without it these are aliases and cost nothing.
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

// The name appears in profiles. The pointer must stay valid as long as the mutex.
inline Mutex named_mutex(const char* /*name*/) noexcept {
  return Mutex();
}

}  // namespace fathom::base

#endif

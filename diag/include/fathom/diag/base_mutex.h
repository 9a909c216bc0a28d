// What base/mutex.h includes where FATHOM_PROFILE_LOCKS is on: each Mutex is a ProfiledMutex then,
// and lock_report() tells what it has seen.

#pragma once

#include <condition_variable>

#include "fathom/diag/profiled_mutex.h"

namespace fathom::base {

using Mutex = diag::ProfiledMutex;
using ConditionVariable = std::condition_variable_any;

inline Mutex named_mutex(const char* name) {
  return Mutex(name);
}

}  // namespace fathom::base

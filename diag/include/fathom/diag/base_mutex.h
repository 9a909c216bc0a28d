// BaseMutex: the header that base/mutex.h includes if FATHOM_PROFILE_LOCKS is on: each Mutex is
// then a ProfiledMutex, and lock_report() shows its figures.

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

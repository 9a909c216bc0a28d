// Mutex: std::mutex on the model checker.
//
// Include this before any header under test that uses std::mutex: from here on they get this one.
// Headers that use base::Mutex get it anyway (base_mutex.h).

#pragma once

#include <mutex>
#include <version>
#ifdef __cpp_lib_jthread
#include <stop_token>  // uses std::mutex itself
#endif

#include "model/base_mutex.h"

namespace std {
using fathom_model_mutex = fathom::model::Mutex;
}
#define mutex fathom_model_mutex

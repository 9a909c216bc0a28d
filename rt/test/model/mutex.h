// Mutex: std::mutex on the model checker.
//
// Include this before any header under test that uses std::mutex: from here on they get this one.

#pragma once

#include <mutex>
#include <version>
#ifdef __cpp_lib_jthread
#include <stop_token>  // uses std::mutex itself
#endif

#include "model/atomic.h"

namespace fathom::model {

class Mutex {
 public:
  void lock() {
    while (locked_.exchange(true, base::memory_order_acquire)) {
      locked_.wait(true, base::memory_order_relaxed);
    }
  }
  void unlock() {
    locked_.store(false, base::memory_order_release);
    locked_.notify_all();
  }

 private:
  base::atomic<bool> locked_{false};
};

}  // namespace fathom::model

namespace std {
using fathom_model_mutex = fathom::model::Mutex;
}
#define mutex fathom_model_mutex

// BaseMutex: the header that base/mutex.h includes in this program: Mutex is one on the model
// checker.

#pragma once

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

namespace fathom::base {

using Mutex = model::Mutex;

inline Mutex named_mutex(const char* /*name*/) {
  return Mutex();
}

}  // namespace fathom::base

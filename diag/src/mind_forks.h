// mind_forks(): ensures that a forked child finds the object consistent and unlocked.

#pragma once

#include <pthread.h>

namespace fathom::diag {

// For singletons that are never destroyed: all() returns the object, and lock() and unlock() are
// called around a fork, on its thread. Call it once; has no effect if memory runs out.
template <class Object>
void mind_forks() noexcept {
  static_cast<void>(::pthread_atfork([] { Object::all().lock(); }, [] { Object::all().unlock(); },
                                     [] { Object::all().unlock(); }));
}

}  // namespace fathom::diag

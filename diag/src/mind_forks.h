// mind_forks(): a forked child finds the object as whole and as free as its parent left it.

#pragma once

#include <pthread.h>

namespace fathom::diag {

// For what there is one of and is never destroyed: all() is that one, and lock() and unlock() are
// called around a fork, on its thread. Once; where there is no memory for it, without effect.
template <class Object>
void mind_forks() noexcept {
  static_cast<void>(::pthread_atfork([] { Object::all().lock(); }, [] { Object::all().unlock(); },
                                     [] { Object::all().unlock(); }));
}

}  // namespace fathom::diag

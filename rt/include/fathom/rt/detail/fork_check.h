// ForkCheck: a member that tells an object whether it is a copy in a child of fork(2), which has
// none of the threads, and shares files, epoll sets and rings with the original in the parent.
//
// A counter of forks, raised in the child by a handler of pthread_atfork(), is remembered at
// construction. So vfork() and clone() are not noticed; their children must not touch such objects.
//
// Functions may be called from any thread, and from signal handlers if they do not throw.

#pragma once

#include <pthread.h>

#include <new>
#include <string>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"

namespace fathom::rt::detail {

class ForkCheck {
 public:
  // Throws std::bad_alloc.
  ForkCheck() {
    static const int error =
        ::pthread_atfork(nullptr, nullptr, [] { forks_.fetch_add(1, base::memory_order_relaxed); });
    if (error != 0) throw std::bad_alloc();
  }

  // Costs a relaxed load. No other thread can have changed the counter: it is raised when the
  // child has one thread.
  [[nodiscard]] bool in_child() const noexcept {
    return forks_.load(base::memory_order_relaxed) != at_construction_;
  }

  // Throws base::Error in a child. `what` is the object, for example "this executor".
  void refuse_child(const char* what) const {
    if (in_child()) [[unlikely]] {
      throw base::Error(std::string(what) +
                        " belongs to the parent process: create another one after fork()");
    }
  }

 private:
  inline static base::atomic<unsigned> forks_{0};

  const unsigned at_construction_ = forks_.load(base::memory_order_relaxed);
};

}  // namespace fathom::rt::detail

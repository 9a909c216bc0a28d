// without_lock(): calls without Python's lock (the GIL), which Python's end waits for.

#pragma once

#include <nanobind/nanobind.h>

namespace fathom::python {

namespace nb = nanobind;

// A call of without_lock(), for end_work() of watch.h. Made and destroyed with the lock.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
};

// Calls the function without the lock, and returns its result.
template <class Function>
auto without_lock(const Function& function) {
  const Unlocked unlocked;
  const nb::gil_scoped_release released;
  return function();
}

}  // namespace fathom::python

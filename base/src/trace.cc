// Trace: finding the trace of an exception of unknown class.

#include "fathom/base/trace.h"

namespace fathom::base {

const Trace* trace_of(const std::exception& error) noexcept {
  return dynamic_cast<const Trace*>(&error);
}

// The reference stays valid: the pointer keeps the exception alive, and rethrowing does not copy
// it.
const Trace* trace_of(const std::exception_ptr& error) noexcept {
  if (!error) return nullptr;
  try {
    std::rethrow_exception(error);
  } catch (const Trace& trace) {
    return &trace;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace fathom::base

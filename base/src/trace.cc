#include "fathom/base/trace.h"

namespace fathom::base {

const Trace* trace_of(const std::exception& error) noexcept {
  return dynamic_cast<const Trace*>(&error);
}

// The exception stays alive: the pointer holds it, and rethrowing does not copy it here.
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

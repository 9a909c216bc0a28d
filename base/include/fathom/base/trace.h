// Trace: where an exception was thrown, stored in the exception itself.
//
// base::Error has one, and so does everything that FATHOM_THROW throws (throw.h). A
// std::exception_ptr, another thread and a rethrow keep the trace and do not add to it.
//
//   catch (const std::exception& error) {
//     if (const Trace* trace = trace_of(error)) use(trace->where(), trace->stack());
//   }

#pragma once

#include <exception>

#include "fathom/base/source_location.h"
#include "fathom/base/stack.h"

namespace fathom::base {

class Trace {
 public:
  // Where the exception was constructed.
  [[nodiscard]] SourceLocation where() const noexcept { return where_; }

  // The stack at that point.
  [[nodiscard]] const Stack& stack() const noexcept { return stack_; }

 protected:
  // Records the stack of the calling thread.
  explicit Trace(SourceLocation where) noexcept : where_(where), stack_(Stack::here()) {}
  Trace(const Trace&) noexcept = default;
  Trace& operator=(const Trace&) noexcept = default;
  ~Trace() = default;

 private:
  SourceLocation where_;
  Stack stack_;
};

// The trace of the exception, or nullptr if it has none. It lives as long as the exception. A
// handler that catches by value has a copy of the part that it names: a std::runtime_error without
// a trace, an Error with one.
[[nodiscard]] const Trace* trace_of(const std::exception& error) noexcept;

// The same for any exception, including those not derived from std::exception. nullptr if there is
// none.
[[nodiscard]] const Trace* trace_of(const std::exception_ptr& error) noexcept;

}  // namespace fathom::base

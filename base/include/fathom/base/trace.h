// Trace: where an exception was thrown, as the exception itself carries it.
//
// base::Error has one, and so has whatever FATHOM_THROW throws (throw.h). It belongs to the
// exception: a std::exception_ptr, another thread and a rethrow keep it, and do not add to it.
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
  // The place that made the exception.
  [[nodiscard]] SourceLocation where() const noexcept { return where_; }

  // The calls that led there.
  [[nodiscard]] const Stack& stack() const noexcept { return stack_; }

 protected:
  // Takes the stack of the calling thread.
  explicit Trace(SourceLocation where) noexcept : where_(where), stack_(Stack::here()) {}
  Trace(const Trace&) noexcept = default;
  Trace& operator=(const Trace&) noexcept = default;
  ~Trace() = default;

 private:
  SourceLocation where_;
  Stack stack_;
};

// The exception's own, or nullptr if it was thrown without. It lives as long as the exception. A
// handler that catches by value has a copy of the part that it names: no trace for
// std::runtime_error, but one for Error.
[[nodiscard]] const Trace* trace_of(const std::exception& error) noexcept;

// The same for any exception, also for those that are no std::exception. nullptr for none.
[[nodiscard]] const Trace* trace_of(const std::exception_ptr& error) noexcept;

}  // namespace fathom::base

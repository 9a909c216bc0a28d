// FATHOM_THROW: throws an exception of any class with its source location and stack.
//
// The thrown class is derived from the given one: handlers of that class and of its bases catch it.
// trace_of() (trace.h) returns the trace, error_text() (error_text.h) prints it. base::Error has a
// trace already, so a plain `throw Error(...)` works as well.
//
//   FATHOM_THROW(std::invalid_argument, "a negative size");
//   FATHOM_THROW(ParseError, file, line, "not a number");     // several arguments
//
//   try {
//     parse(file);
//   } catch (...) {
//     FATHOM_THROW_NESTED(std::runtime_error, "cannot read " + file);  // keeps the cause
//   }
//
// The class must be movable and not final. It must not have virtual bases: the derived class would
// have to construct them again, without the arguments. If std::exception is such a base, the
// compiler reports an error; for other virtual bases nothing can detect it. A class with a comma in
// its name needs an alias: using Odd = Failure<int, long>.

#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "fathom/base/source_location.h"
#include "fathom/base/trace.h"

#define FATHOM_THROW(type, ...) \
  ::fathom::base::throw_traced(type(__VA_ARGS__), ::fathom::base::SourceLocation::current())

// For handlers: the exception that is being handled becomes the cause, as with
// std::throw_with_nested().
#define FATHOM_THROW_NESTED(type, ...) \
  ::fathom::base::throw_traced_nested(type(__VA_ARGS__), ::fathom::base::SourceLocation::current())

namespace fathom::base {

// Whether std::exception is a virtual base, or a base of one: a static_cast cannot lead down from
// such a base.
template <class Exception>
concept HasVirtualException =
    std::is_convertible_v<Exception*, std::exception*> && !requires(std::exception * base) {
  static_cast<Exception*>(base);
};

// The class that FATHOM_THROW throws.
template <class Exception>
class Thrown final : public Exception, public Trace {
 public:
  Thrown(Exception&& error, SourceLocation where) : Exception(std::move(error)), Trace(where) {}
};

template <class Exception>
class ThrownNested final : public Exception, public Trace, public std::nested_exception {
 public:
  ThrownNested(Exception&& error, SourceLocation where)
      : Exception(std::move(error)), Trace(where) {}
};

template <class Exception>
[[noreturn]] void throw_traced(Exception error, SourceLocation where) {
  static_assert(std::is_class_v<Exception> && !std::is_final_v<Exception>,
                "the exception must be a class that is not final");
  static_assert(std::is_base_of_v<Trace, Exception> || !HasVirtualException<Exception>,
                "the arguments of a virtual base would be lost");
  if constexpr (std::is_base_of_v<Trace, Exception>) {
    throw std::move(error);  // has its own trace, of the same place
  } else {
    throw Thrown<Exception>(std::move(error), where);
  }
}

template <class Exception>
[[noreturn]] void throw_traced_nested(Exception error, SourceLocation where) {
  static_assert(std::is_class_v<Exception> && !std::is_final_v<Exception>,
                "the exception must be a class that is not final");
  static_assert(!HasVirtualException<Exception>, "the arguments of a virtual base would be lost");
  if constexpr (std::is_base_of_v<Trace, Exception>) {
    std::throw_with_nested(std::move(error));
  } else if constexpr (std::is_base_of_v<std::nested_exception, Exception>) {
    throw Thrown<Exception>(std::move(error), where);  // has its cause already
  } else {
    throw ThrownNested<Exception>(std::move(error), where);
  }
}

}  // namespace fathom::base

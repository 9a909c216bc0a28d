// FATHOM_THROW: throws an exception of any class, with the place and the calls that led there.
//
// What is thrown is of a class derived from the one that is named: handlers of that class and of
// its bases catch it. trace_of() (trace.h) finds what it carries, error_text() (error_text.h)
// prints it. base::Error carries a trace by itself, so that a plain `throw Error(...)` does as
// well.
//
//   FATHOM_THROW(std::invalid_argument, "a negative size");
//   FATHOM_THROW(ParseError, file, line, "no number");     // several arguments
//
//   try {
//     parse(file);
//   } catch (...) {
//     FATHOM_THROW_NESTED(std::runtime_error, "cannot read " + file);  // what was caught is its
//     cause
//   }
//
// The class is one that can be moved and is not final. It has no virtual bases: what is derived
// from it would have to make them anew, without the arguments. Where std::exception is below one,
// that is an error of the compiler's; for others nothing can tell. One with a comma in its name
// needs another name: using Odd = Failure<int, long>.

#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "fathom/base/source_location.h"
#include "fathom/base/trace.h"

#define FATHOM_THROW(type, ...) \
  ::fathom::base::throw_traced(type(__VA_ARGS__), ::fathom::base::SourceLocation::current())

// For handlers: the exception that is being handled becomes the cause, as std::throw_with_nested()
// does it.
#define FATHOM_THROW_NESTED(type, ...) \
  ::fathom::base::throw_traced_nested(type(__VA_ARGS__), ::fathom::base::SourceLocation::current())

namespace fathom::base {

// Whether std::exception is a virtual base of the class, or a base of one: from such a base no
// static_cast leads down.
template <class Exception>
concept HasVirtualException =
    std::is_convertible_v<Exception*, std::exception*> && !requires(std::exception * base) {
  static_cast<Exception*>(base);
};

// What FATHOM_THROW throws.
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
                "only a class that others may derive from can carry a trace");
  static_assert(std::is_base_of_v<Trace, Exception> || !HasVirtualException<Exception>,
                "a class with virtual bases would be thrown without what was given to them");
  if constexpr (std::is_base_of_v<Trace, Exception>) {
    throw std::move(error);  // carries its own, of the same place
  } else {
    throw Thrown<Exception>(std::move(error), where);
  }
}

template <class Exception>
[[noreturn]] void throw_traced_nested(Exception error, SourceLocation where) {
  static_assert(std::is_class_v<Exception> && !std::is_final_v<Exception>,
                "only a class that others may derive from can carry a trace");
  static_assert(!HasVirtualException<Exception>,
                "a class with virtual bases would be thrown without what was given to them");
  if constexpr (std::is_base_of_v<Trace, Exception>) {
    std::throw_with_nested(std::move(error));
  } else if constexpr (std::is_base_of_v<std::nested_exception, Exception>) {
    throw Thrown<Exception>(std::move(error), where);  // has its cause already
  } else {
    throw ThrownNested<Exception>(std::move(error), where);
  }
}

}  // namespace fathom::base

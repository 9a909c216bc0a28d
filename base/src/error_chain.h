// ErrorChain: an exception and what caused it, taken apart for printing.

#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/source_location.h"
#include "fathom/base/symbols.h"

namespace fathom::base {

// Calls as they are shown.
struct Calls {
  std::vector<Frame> frames;  // innermost first
  std::size_t left_out = 0;   // outer ones
  bool more = false;          // maybe more than left_out
};

struct ErrorLink {
  std::string type;     // as the source names it
  std::string message;  // empty: it is no std::exception
  std::optional<SourceLocation> where;
  Calls calls;  // none if it was thrown without a trace
};

struct ErrorChain {
  std::vector<ErrorLink> links;  // the cause of each is the next one
  bool cut = false;              // there are more causes
};

// At most `frames` calls of each stack.
[[nodiscard]] ErrorChain chain_of(const std::exception_ptr& error, std::size_t frames);
[[nodiscard]] ErrorChain chain_of(const std::exception& error, std::size_t frames);

// The calls of a stack: with a place those that made an exception there, without what an
// exception's constructors do; else without what std::terminate() does.
[[nodiscard]] Calls calls_of(const Stack& stack, std::size_t frames,
                             const SourceLocation* place = nullptr);

// Whether the calls of std::terminate() are such that it was not called for an exception, though
// one may be handled just then. False where the functions have no names.
[[nodiscard]] bool ends_for_other_reason(const Stack& stack);

}  // namespace fathom::base

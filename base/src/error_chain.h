// ErrorChain: an exception and its causes, taken apart for printing.

#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/source_location.h"
#include "fathom/base/symbols.h"

namespace fathom::base {

// The frames to show.
struct Calls {
  std::vector<Frame> frames;  // innermost first
  std::size_t left_out = 0;   // number of omitted outer frames
  bool more = false;          // the real number may be greater than left_out
};

struct ErrorLink {
  std::string type;     // the class name as in the source
  std::string message;  // empty if it is not a std::exception
  std::optional<SourceLocation> where;
  Calls calls;  // empty if it was thrown without a trace
};

struct ErrorChain {
  std::vector<ErrorLink> links;  // each is caused by the next
  bool cut = false;              // whether further causes were omitted
};

// Keeps at most `frames` frames of each stack.
[[nodiscard]] ErrorChain chain_of(const std::exception_ptr& error, std::size_t frames);
[[nodiscard]] ErrorChain chain_of(const std::exception& error, std::size_t frames);

// The frames of a stack. With `place`: those of an exception constructed there, without the frames
// of its constructors. Otherwise without the frames of std::terminate().
[[nodiscard]] Calls calls_of(const Stack& stack, std::size_t frames,
                             const SourceLocation* place = nullptr);

// Whether the frames of std::terminate() show that it was not called because of an exception, even
// if one is being handled. False if functions have no names.
[[nodiscard]] bool ends_for_other_reason(const Stack& stack);

}  // namespace fathom::base

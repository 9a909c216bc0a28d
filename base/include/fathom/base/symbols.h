// Symbols: the functions and lines for the addresses of a stack.
//
// They are read from the program and its shared libraries: function names unless the file is
// stripped, source files and lines if there is debug information (-g1 suffices). This allocates
// memory, and the first look-up takes some milliseconds: do not call it in a signal handler.
//
//   for (const Frame& frame : frames_of(stack)) print(frame.function, frame.file, frame.line);

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/stack.h"

namespace fathom::base {

// One frame. Unknown fields are empty or 0.
struct Frame {
  std::string function;       // as in the source; may contain any bytes
  std::string file;           // as passed to the compiler
  std::uint32_t line = 0;     // counts from 1
  std::string module;         // the path of the program or the shared library
  std::uintptr_t offset = 0;  // in the module, as addr2line expects it
};

// Innermost first. Each inlined call is a frame too, so there may be more frames than addresses;
// all frames of one address have the same module and offset.
[[nodiscard]] std::vector<Frame> frames_of(const Stack& stack);

}  // namespace fathom::base

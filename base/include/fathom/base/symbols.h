// Symbols: the functions and lines that the addresses of a stack belong to.
//
// Read from the program itself and its shared libraries: names of functions unless they were
// stripped, files and lines where there is debug information (-g1 is enough). This allocates and
// takes time, some ms for the first look-up: nothing for a signal handler.
//
//   for (const Frame& frame : frames_of(stack)) print(frame.function, frame.file, frame.line);

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/stack.h"

namespace fathom::base {

// A call. What is unknown is empty or 0.
struct Frame {
  std::string function;       // as the source names it; may hold any bytes
  std::string file;           // as the compiler named it
  std::uint32_t line = 0;     // counts from 1
  std::string module;         // the path of the program or the shared library
  std::uintptr_t offset = 0;  // in the module, as addr2line takes it
};

// Innermost first. Calls that the compiler has inlined are frames of their own, so that there may
// be more of them than addresses; all of one address have its module and offset.
[[nodiscard]] std::vector<Frame> frames_of(const Stack& stack);

}  // namespace fathom::base

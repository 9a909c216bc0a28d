// CallPath: the calls of a stack as reports show them, without those of the profiler itself.

#pragma once

#include <cstddef>
#include <string>

#include "fathom/base/stack.h"
#include "fathom/base/symbols.h"

namespace fathom::diag {

// A line for each of at most so many calls, innermost first, each with the indent before it. Calls
// of operator new, of the profiler and of the standard library are left out.
[[nodiscard]] std::string call_path(const base::Stack& stack, std::size_t most,
                                    const std::string& indent);

// A call as "f() at src/f.cc:12".
[[nodiscard]] std::string call_text(const base::Frame& frame);

// Whether that is a call of the profiler's or of the standard library.
[[nodiscard]] bool is_of_library(const base::Frame& frame);

}  // namespace fathom::diag

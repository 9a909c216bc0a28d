// CallPath: a stack as reports show it, without the frames of the profiler itself.

#pragma once

#include <cstddef>
#include <string>

#include "fathom/base/stack.h"
#include "fathom/base/symbols.h"

namespace fathom::diag {

// At most `most` lines, one per call, innermost first, each with the indent. Calls of operator new,
// of the profiler and of the standard library are omitted.
[[nodiscard]] std::string call_path(const base::Stack& stack, std::size_t most,
                                    const std::string& indent);

// A call as "f() at src/f.cc:12".
[[nodiscard]] std::string call_text(const base::Frame& frame);

// Whether the frame belongs to the profiler or to the standard library.
[[nodiscard]] bool is_of_library(const base::Frame& frame);

}  // namespace fathom::diag

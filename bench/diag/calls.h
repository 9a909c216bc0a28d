// Calls: a call chain of any depth, above a function to measure.

#pragma once

namespace fathom::bench {

// Calls `function` with `depth` frames below it.
void call_at_depth(int depth, void (*function)(void*), void* argument);

}  // namespace fathom::bench

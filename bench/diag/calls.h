// Calls: a way down of as many calls as a case wants, to where something is thrown or looked at.

#pragma once

namespace fathom::bench {

// Calls `function` below `depth` calls of its own.
void call_at_depth(int depth, void (*function)(void*), void* argument);

}  // namespace fathom::bench

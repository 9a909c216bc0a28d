// Questions: the cases of the task scheduler, each with Fathom's contender and the naive one; and
// the peers, each with all cases that it supports.

#pragma once

namespace fathom::bench {

void add_seed();
void add_graphs();
void add_own_loops();
void add_own_algorithms();

// Defined if oneTBB is installed.
void add_tbb_tasks();
void add_tbb_loops();
void add_tbb_algorithms();

// Defined if the paths of their headers are configured.
void add_taskflow();
void add_enkits();

}  // namespace fathom::bench

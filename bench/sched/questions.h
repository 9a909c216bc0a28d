// The questions to the task scheduler, each with Fathom's answer and the naive one; and the peers,
// each with all questions that it can answer.

#pragma once

namespace fathom::bench {

void add_seed();
void add_graphs();
void add_own_loops();

// Defined where oneTBB is installed.
void add_tbb_tasks();
void add_tbb_loops();

// Defined where their headers are told.
void add_taskflow();
void add_enkits();

}  // namespace fathom::bench

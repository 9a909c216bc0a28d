// The questions to the task scheduler, each with Fathom's answer and the naive one; and the peers,
// each with all questions that it can answer.

#pragma once

namespace fathom::bench {

void add_seed();
void add_graphs();
void add_tbb_tasks();  // defined where oneTBB is installed

}  // namespace fathom::bench

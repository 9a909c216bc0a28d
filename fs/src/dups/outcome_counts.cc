// count_outcome: adds one act to the totals of a run.

#include "dups/outcome_counts.h"

#include "fathom/base/saturating.h"

namespace fathom::fs {

void count_outcome(Applied& applied, Outcome outcome, std::uint64_t freed) {
  applied.freed = base::saturating_add(applied.freed, freed);
  switch (outcome) {
    case Outcome::done:
    case Outcome::would_be_done:
      ++applied.done;
      break;
    case Outcome::done_before:
      ++applied.done_before;
      break;
    case Outcome::already_shared:
      ++applied.already_shared;
      break;
    case Outcome::promoted_to_kept:
      ++applied.promoted_to_kept;
      break;
    case Outcome::refused:
      ++applied.refused;
      break;
    case Outcome::failed:
      ++applied.failed;
      break;
  }
}

}  // namespace fathom::fs

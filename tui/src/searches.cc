// Searches: calls of the engines.

#include "searches.h"

#include <utility>

#include "fathom/act/surroundings.h"

namespace fathom::tui {

Findings find_clean(const SearchJob& job) {
  auto ruled = std::make_shared<Ruled>(Ruled{act::RuleSet::built_in(), {}});
  ruled->found = act::find_candidates(
      job.facts->scan(), ruled->rules,
      {.around = act::own_surroundings(), .now = job.facts->now(), .cancel = job.cancel});
  return findings_of(job.facts, std::move(ruled));
}

}  // namespace fathom::tui

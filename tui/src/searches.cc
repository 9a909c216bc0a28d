// Searches: calls of the engines.

#include "searches.h"

#include <chrono>
#include <utility>

#include "fathom/act/surroundings.h"
#include "fathom/base/error.h"
#include "fathom/fs/duplicates.h"
#include "fathom/text/bar.h"
#include "fathom/text/number.h"
#include "model/growth.h"

namespace fathom::tui {

Findings find_clean(const SearchJob& job) {
  auto ruled = std::make_shared<Ruled>(Ruled{act::RuleSet::built_in(), {}});
  ruled->found = act::find_candidates(
      job.facts->scan(), ruled->rules,
      {.around = act::own_surroundings(), .now = job.facts->now(), .cancel = job.cancel});
  return findings_of(job.facts, std::move(ruled));
}

Findings find_equal(const SearchJob& job) {
  fs::DuplicateOptions options;
  options.cancel = job.cancel;
  options.progress_interval = std::chrono::milliseconds(250);
  options.progress = [&](const fs::DuplicateProgress& known) {
    job.progress(text::percent(known.bytes, known.bytes_total) + " compared, " +
                 text::counted(known.groups, "group", "groups"));
  };
  return findings_of(job.facts, fs::find_duplicates(job.facts->tree(), options));
}

Findings find_growth(const SearchJob& job, const FindGrowth& find, fs::Measure measure) {
  if (find == nullptr) throw base::Error("there are no snapshots here");
  const Growth growth = find(job.facts->scan(), measure, job.cancel);
  return findings_of(job.facts, growth.diff, growth.since, growth.roots);
}

}  // namespace fathom::tui

// Seen: what the scan knows of an entry, so that nothing else is acted on.

#pragma once

#include "fathom/act/plan.h"
#include "fathom/fs/freed.h"
#include "model/facts.h"

namespace fathom::tui {

// Without sums if the scan has not ended, or does not have everything below the entry. Takes time
// for every entry below.
[[nodiscard]] act::Seen seen_of(const Facts& facts, const fs::Chosen& entry);

}  // namespace fathom::tui

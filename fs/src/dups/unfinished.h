// What a run that was killed has left under names that it made up.

#pragma once

#include "dups/journal.h"
#include "fathom/fs/dup_apply.h"

namespace fathom::fs {

[[nodiscard]] Unfinished unfinished_acts(const Journal& journal);

}  // namespace fathom::fs

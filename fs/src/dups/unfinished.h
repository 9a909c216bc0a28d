// The temporary names that a killed run has left.

#pragma once

#include "dups/journal.h"
#include "fathom/fs/dup_apply.h"

namespace fathom::fs {

[[nodiscard]] Unfinished unfinished_acts(const Journal& journal);

}  // namespace fathom::fs

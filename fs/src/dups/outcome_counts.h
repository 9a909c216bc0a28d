// Counts the outcomes of acts.

#pragma once

#include <cstdint>

#include "fathom/fs/dup_apply.h"

namespace fathom::fs {

void count_outcome(Applied& applied, Outcome outcome, std::uint64_t freed);

}  // namespace fathom::fs

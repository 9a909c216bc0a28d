// What a line of a plan can hold.

#pragma once

#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

// Whether read_plan() takes the line that write_plan() makes of the file.
[[nodiscard]] bool fits_a_line(const PlanFile& file);

}  // namespace fathom::fs

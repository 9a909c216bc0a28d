// PlanText: what fits in a line of a plan.

#pragma once

#include "fathom/act/dup_plan.h"

namespace fathom::act {

// Whether read_dup_plan() accepts the line that write_plan() writes for the file.
[[nodiscard]] bool fits_a_line(const PlanFile& file);

}  // namespace fathom::act

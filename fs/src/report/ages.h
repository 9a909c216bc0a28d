// The report on ages, with names from elsewhere than the system.

#pragma once

#include "fathom/fs/owner_names.h"
#include "fathom/fs/report.h"

namespace fathom::fs {

[[nodiscard]] Table ages(const ReportInput& input, const OwnerNames& names);

}  // namespace fathom::fs

// The report on owners, with names that do not come from the system.

#pragma once

#include "fathom/fs/owner_names.h"
#include "fathom/fs/report.h"

namespace fathom::fs {

[[nodiscard]] Table owners(const ReportInput& input, const OwnerNames& names);

}  // namespace fathom::fs

// Help: the manual of `fathom scan`.

#pragma once

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] const Manual& scan_manual();

}  // namespace fathom::cli

// Help: the manual of `fathom serve`.

#pragma once

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] const Manual& serve_manual();

}  // namespace fathom::cli

// Help: the manual of `fathom dups`.

#pragma once

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] const Manual& dups_manual();

}  // namespace fathom::cli

// Numbers of text/, under the names that the command uses.

#pragma once

#include "fathom/text/number.h"

namespace fathom::cli {

using text::counted;
using text::duration;
using text::grouped;
using text::rate_of;
using text::right;
using text::signed_bytes;

}  // namespace fathom::cli

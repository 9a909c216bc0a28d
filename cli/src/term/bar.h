// Bars and shares of text/, under the names that the command uses.

#pragma once

#include "fathom/text/bar.h"

namespace fathom::cli {

using text::bar;
using text::percent;
using text::signed_bar;

}  // namespace fathom::cli

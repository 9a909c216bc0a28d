// KindTone: the colour in which the name of an entry is shown, by its kind.

#pragma once

#include "fathom/fs/tree.h"
#include "term/paint.h"

namespace fathom::cli {

[[nodiscard]] Tone kind_tone(fs::Kind kind);

}  // namespace fathom::cli

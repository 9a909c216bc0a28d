// CleanView: what may be cleaned up, as tables and sentences.

#pragma once

#include "fathom/act/candidates.h"
#include "fathom/act/choice.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/scan.h"
#include "view/view.h"

namespace fathom::cli {

// A table by rule, the largest items, and notes. `wanted` is everything that the options select
// apart from the classes and --need, of which `choice` is the part to show. `hints`: also how to go
// on.
void write_clean_view(const fs::Scan& scan, const act::Candidates& found, const act::Choice& wanted,
                      const act::Choice& choice, std::uint64_t need, bool hints, const View& view,
                      fs::Blocks& text);

// The conditions of the rules that are about an entry, and whether they hold.
void write_explanation(const act::Explanation& explanation, const View& view, fs::Blocks& text);

}  // namespace fathom::cli

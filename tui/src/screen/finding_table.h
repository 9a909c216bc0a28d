// FindingTable: what a search found, in groups; or why there is nothing.

#pragma once

#include <string>

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

// The heading is the first row of the area. Requires that the view shows findings.
void draw_findings(const State& state, const Area& area, Grid& grid);

// The group in words.
[[nodiscard]] std::string group_text(const State& state, const FindingRows& rows,
                                     const FindingGroup& group);

// What a rule says about an entry, in one line; empty: no rule is about it.
[[nodiscard]] std::string rule_line(const State& state, const act::Candidate& candidate);

}  // namespace fathom::tui

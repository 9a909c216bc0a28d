// WhatIf.

#include "model/what_if.h"

#include "fathom/base/saturating.h"
#include "model/place.h"

namespace fathom::tui {

LeftOut left_out_here(const State& state) {
  LeftOut here;
  if (state.view != View::tree) return here;
  for (const fs::Chosen& entry : state.left_out.entries()) {
    if (state.facts->tree().parent(entry.node) != state.place) continue;
    ++here.rows;
    here.bytes =
        base::saturating_add(here.bytes, bytes_of(state, {entry.node, entry.directory, nullptr}));
  }
  return here;
}

void leave_out_or_not(State& state) {
  const auto row = row_at(state, state.cursor().at);
  if (state.view != View::tree || !row || row->node == fs::kNoNode) {
    state.message = "I leaves an entry of the tree out of the sums of its directory";
    return;
  }
  const fs::Chosen entry{row->node, row->directory};
  if (state.left_out.has(row->node)) {
    state.left_out.remove({&entry, 1});
    state.message = "counted again";
  } else {
    state.left_out.add(entry);
    state.message = "left out of the sums here, nothing else; I again counts it";
  }
  find_largest(state);
}

}  // namespace fathom::tui

// Click: as the keys do it.

#include "model/click.h"

#include "model/opening.h"
#include "model/place.h"

namespace fathom::tui {

void click(State& state, const Target& target) {
  state.message.clear();
  state.told_last_copies.clear();
  switch (target.kind) {
    case Target::Kind::nothing:
      break;
    case Target::Kind::view:
      state.layer = Layer::none;
      open_view(state, target.view);
      break;
    case Target::Kind::row:
      state.layer = Layer::none;
      if (state.cursor().at == target.index) {
        open_row(state);
      } else {
        move_to(state, target.index);
      }
      break;
    case Target::Kind::planned:
      if (state.layer == Layer::plan && state.plan_cursor.at == target.index) {
        show_planned(state);
      } else {
        state.layer = Layer::plan;
        state.plan_cursor.at = target.index;
      }
      break;
  }
  settle(state);
}

}  // namespace fathom::tui

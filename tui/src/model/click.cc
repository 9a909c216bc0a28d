// Click: as the keys do it.

#include "model/click.h"

#include "model/opening.h"
#include "model/place.h"

namespace fathom::tui {

namespace {

void choose_row(State& state, std::size_t index) {
  state.layer = Layer::none;
  if (state.cursor().at == index) {
    open_row(state);
  } else {
    move_to(state, index);
  }
}

}  // namespace

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
      choose_row(state, target.index);
      break;
    case Target::Kind::boxed: {
      const std::size_t index = state.listing.find(target.node);
      if (index != Listing::kNone) {
        choose_row(state, index);
      } else {
        state.message = "the list does not show this entry: Esc drops its filter";
      }
      break;
    }
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

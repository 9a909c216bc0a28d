// Opening: by view.

#include "model/opening.h"

#include <memory>

#include "model/place.h"

namespace fathom::tui {

namespace {

void open_report_row(State& state) {
  const auto* const report = report_of(state);
  if (report == nullptr || state.cursor().at >= report->size()) return;
  const Query& query = (*report)[state.cursor().at].query;
  open_found(state, std::make_shared<const Found>(find_all(*state.facts, query)));
}

// Opens or closes the group of the selected heading. Returns whether there is one.
bool toggle_group(State& state) {
  const auto search = search_of(state.view);
  if (!search || state.cursor().at >= list_size(state)) return false;
  FindingList& list = state.search(*search);
  const FindingList::Row row = list.row(state.cursor().at);
  if (!row.is_heading()) return false;
  list.toggle(row.group);
  state.anchor.reset();
  return true;
}

}  // namespace

void go_up(State& state) {
  if (state.view != View::tree) return open_view(state, View::tree);
  if (state.place == state.facts->top()) {
    state.message = "the scan begins here";
    return;
  }
  const fs::Tree& tree = state.facts->tree();
  open_directory(state, tree.parent_of(state.place), tree.node(state.place));
}

void open_row(State& state) {
  if (!has_entries(state.view)) return open_report_row(state);
  if (toggle_group(state)) return;
  const auto row = row_at(state, state.cursor().at);
  if (!row) return;
  if (row->directory != fs::kNoDir) return open_directory(state, row->directory);
  if (state.view == View::tree) {
    state.layer = Layer::info;
    return;
  }
  open_directory(state, state.facts->tree().parent(row->node), row->node);
}

void show_planned(State& state) {
  if (state.plan.empty()) return;
  const fs::Chosen entry = state.plan.entries()[state.plan_cursor.at];
  state.layer = Layer::none;
  open_directory(state, state.facts->tree().parent(entry.node), entry.node);
}

}  // namespace fathom::tui

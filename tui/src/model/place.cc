// Place: lists and cursors.

#include "model/place.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/base/saturating.h"
#include "fathom/fs/name_matcher.h"

namespace fathom::tui {

namespace {

Items items_of(const State& state) {
  switch (state.view) {
    case View::tree:
      return state.facts->in(state.place);
    case View::largest:
      if (state.extras == nullptr) return {};
      return {{}, state.extras->largest, {}};
    case View::found:
      return state.found->items();
    default:
      return {};
  }
}

void fill_list(State& state) {
  state.listing = Listing(*state.facts, items_of(state), state.how);
  if (!state.left_out.empty()) find_largest(state);
  make_map(state);
  state.anchor.reset();
}

fs::NodeId selected(const State& state) {
  const auto row = row_at(state, state.cursor().at);
  return row ? row->node : fs::kNoNode;
}

void remember(State& state) {
  if (state.view != View::tree) return;
  const fs::NodeId node = selected(state);
  if (node != fs::kNoNode) state.remembered[state.place] = node;
}

// The row of the entry; Listing::kNone if it is not in the list.
std::size_t row_of(State& state, fs::NodeId node) {
  if (lists_entries(state.view)) return state.listing.find(node);
  std::size_t row = 0;
  while (row < list_size(state) && row_at(state, row).value_or(Listing::Row{}).node != node) ++row;
  return row < list_size(state) ? row : Listing::kNone;
}

void select(State& state, fs::NodeId node) {
  if (node == fs::kNoNode) return;
  const std::size_t row = row_of(state, node);
  if (row != Listing::kNone) state.cursor().at = row;
}

void narrow_report(State& state, const std::string& text) {
  state.report_text = text;
  state.report_rows.clear();
  const auto* const whole = whole_report_of(state);
  if (whole == nullptr || text.empty()) return;
  fs::NameMatcher matches(text);
  for (const ReportRow& row : *whole) {
    if (matches(row.label)) state.report_rows.push_back(row);
  }
}

void narrow_rows(State& state, const std::string& text) {
  if (lists_entries(state.view)) return state.listing.narrow(text);
  if (const auto search = search_of(state.view)) return state.search(*search).narrow(text);
  narrow_report(state, text);
}

void keep_on_screen(Cursor& cursor, std::size_t size, std::size_t rows) {
  cursor.at = size == 0 ? 0 : std::min(cursor.at, size - 1);
  cursor.top = std::min(cursor.top, cursor.at);
  if (cursor.at >= cursor.top + rows) cursor.top = cursor.at - rows + 1;
  // No empty rows below the last one while others are above.
  cursor.top = std::min(cursor.top, size > rows ? size - rows : 0);
}

}  // namespace

void settle(State& state) {
  Cursor& cursor = state.cursor();
  const std::size_t rows = list_rows(state);
  keep_on_screen(cursor, list_size(state), rows);
  if (lists_entries(state.view)) state.listing.show(cursor.top, cursor.top + rows);
  keep_on_screen(state.plan_cursor, state.plan.size(), rows);
}

void open_directory(State& state, fs::DirId directory, fs::NodeId node) {
  remember(state);
  state.view = View::tree;
  // What contains the only root is not known.
  state.place = directory == fs::kNoDir ? state.facts->top() : directory;
  fill_list(state);
  state.cursor() = {};
  const auto before = state.remembered.find(state.place);
  if (node == fs::kNoNode && before != state.remembered.end()) node = before->second;
  select(state, node);
}

void open_view(State& state, View view) {
  if (view == state.view) return;
  remember(state);
  state.view = view;
  state.anchor.reset();
  if (!lists_entries(view)) return narrow_rows(state, "");
  fill_list(state);
  if (view != View::tree) return;
  const auto before = state.remembered.find(state.place);
  if (before != state.remembered.end()) select(state, before->second);
}

void open_found(State& state, std::shared_ptr<const Found> found) {
  remember(state);
  state.listing = {};  // it refers to what was found before
  state.found = std::move(found);
  state.view = View::found;
  fill_list(state);
  state.cursor() = {};
}

void renew_list(State& state) {
  if (!has_entries(state.view)) return narrow_report(state, state.report_text);
  if (!lists_entries(state.view)) return;
  const std::string text = state.listing.text();
  const auto condition = state.listing.condition();
  const fs::NodeId node = state.listing.size() == 0 ? fs::kNoNode : selected(state);
  Cursor& cursor = state.cursor();
  const std::size_t height = cursor.at - std::min(cursor.top, cursor.at);
  fill_list(state);
  if (!text.empty()) state.listing.narrow(text);
  if (condition != nullptr) state.listing.choose(condition);
  select(state, node);
  cursor.top = cursor.at - std::min(height, cursor.at);
}

void arrange(State& state, const Arrangement& how) {
  state.how = how;
  state.anchor.reset();
  if (!lists_entries(state.view)) return;
  const std::size_t kept = state.listing.arrange(how, state.cursor().at);
  if (kept != Listing::kNone) state.cursor().at = kept;
  if (!state.left_out.empty()) find_largest(state);
  make_map(state);
}

void narrow(State& state, const std::string& text) {
  if (text == filter_text(state)) return;
  state.anchor.reset();
  narrow_rows(state, text);
  state.cursor() = {};
}

void select_from_all(State& state) {
  const fs::NodeId node = selected(state);
  narrow(state, "");
  choose(state, nullptr);
  select(state, node);
}

void choose(State& state, std::shared_ptr<const Condition> condition) {
  if (!lists_entries(state.view)) return;
  state.anchor.reset();
  state.listing.choose(std::move(condition));
  state.cursor() = {};
}

void find_largest(State& state) {
  if (state.view != View::tree) return;
  state.listing.find_largest_but(state.left_out);
  make_map(state);
}

void make_map(State& state) {
  constexpr std::size_t kMostBoxes = 60;
  state.map.boxes.clear();
  if (!state.map.wanted || state.view != View::tree) return;
  std::vector<MapBox> boxes;
  const Items items = state.facts->in(state.place);
  const auto add = [&](fs::NodeId node, fs::DirId directory) {
    if (state.left_out.has(node)) return;
    const std::uint64_t bytes = bytes_of(state, {node, directory, nullptr});
    if (bytes > 0) boxes.push_back({node, bytes});
  };
  for (const fs::DirId id : items.directories) add(state.facts->tree().node(id), id);
  for (const fs::NodeId node : items.others) add(node, fs::kNoDir);
  const auto larger = [](const MapBox& a, const MapBox& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.node < b.node;
  };
  const std::size_t shown = std::min(boxes.size(), kMostBoxes);
  const auto end = boxes.begin() + static_cast<std::ptrdiff_t>(shown);
  std::partial_sort(boxes.begin(), end, boxes.end(), larger);
  MapBox rest;
  for (auto box = end; box != boxes.end(); ++box) {
    rest.bytes = base::saturating_add(rest.bytes, box->bytes);
  }
  state.map.boxes.assign(boxes.begin(), end);
  if (rest.bytes > 0) state.map.boxes.push_back(rest);
}

void move_to(State& state, std::size_t index) {
  state.cursor().at = index;
}

}  // namespace fathom::tui

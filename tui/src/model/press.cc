// Press: the keys of the list, and which layer takes a key.

#include "model/press.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fathom/base/path.h"
#include "fathom/text/number.h"
#include "model/marking.h"
#include "model/opening.h"
#include "model/place.h"
#include "model/plan_keys.h"
#include "model/prompts.h"
#include "model/sums.h"
#include "model/typing.h"
#include "model/what_if.h"

namespace fathom::tui {

namespace {

using Kind = Key::Kind;

// ---- Quitting

// Nothing contains all of several roots: the directory in which the browser was started.
std::string place_path(const State& state) {
  return state.place == fs::kNoDir ? "." : state.facts->path(state.place);
}

// That of the list, or of the selected entry; a root, which nothing contains, stands for itself.
std::string directory_here(const State& state) {
  if (state.view == View::tree && state.place != fs::kNoDir) return place_path(state);
  const auto row = row_at(state, state.cursor().at);
  if (!row || row->node == fs::kNoNode) return place_path(state);
  const fs::DirId parent = state.facts->tree().parent(row->node);
  if (parent != fs::kNoDir) return state.facts->path(parent);
  if (row->directory != fs::kNoDir) return state.facts->path(row->directory);
  const std::string folder = base::folder_of(state.facts->tree().path(row->node));
  return folder.empty() ? "." : folder;
}

Effect quit(State& state, Effect::Kind kind) {
  if (has_much_to_lose(state)) {
    state.layer = Layer::quit;
    return {};
  }
  return {kind, kind == Effect::Kind::quit_here ? directory_here(state) : ""};
}

// Enter is not an answer.
Effect press_quit(State& state, const Key& key) {
  state.layer = Layer::none;
  if (is_text(key, "y") || is_control(key, "c")) return {Effect::Kind::quit, ""};
  if (is_text(key, "Q")) return {Effect::Kind::quit_here, directory_here(state)};
  return {};
}

// Returns whether some were running.
bool end_searches(State& state) {
  bool ended = false;
  for (FindingList& list : state.searches) {
    if (!list.running || list.cancelling) continue;
    list.cancelling = ended = true;
  }
  return ended;
}

Effect interrupt(State& state) {
  if (!state.progress.running && end_searches(state)) {
    state.message = "the search ends; what was found stays";
    return {Effect::Kind::cancel_searches, ""};
  }
  if (!state.progress.running || state.progress.cancelling) {
    return quit(state, Effect::Kind::quit);
  }
  state.progress.cancelling = true;
  state.message = state.facts->scan().running
                      ? "the scan ends; what was found stays, and its sums are lower bounds"
                      : "the scan ends; the earlier results stay";
  return {Effect::Kind::cancel, ""};
}

// ---- Layers that only show something

Effect press_help(State& state, const Key& key) {
  constexpr std::size_t kMore = 1000;  // lines than there are: settle_scroll() knows how many
  const auto to = moved(key, state.scroll, kMore, list_rows(state));
  if (to) {
    state.scroll = *to;
  } else {
    state.layer = Layer::none;
    state.scroll = 0;
  }
  return {};
}

Effect press_info(State& state, const Key& key) {
  const std::size_t rows = list_rows(state);
  if (const auto line = paged(key, state.scroll, rows)) {
    state.scroll = *line;
    return {};
  }
  state.scroll = 0;
  if (const auto to = moved(key, state.cursor().at, list_size(state), rows)) {
    move_to(state, *to);
  } else {
    state.layer = Layer::none;
  }
  return {};
}

// ---- The list

void sort_by(State& state, SortKey key) {
  Arrangement how = state.how;
  how.reverse = how.key == key && !how.reverse;
  how.key = key;
  arrange(state, how);
}

// Sorting and selecting of rows. Returns whether the key was one of those.
bool press_arranging(State& state, std::string_view key) {
  Arrangement how = state.how;
  if (key == "s") return sort_by(state, SortKey::size), true;
  if (key == "n") return sort_by(state, SortKey::name), true;
  if (key == "C") return sort_by(state, SortKey::items), true;
  if (key == "M") return sort_by(state, SortKey::modified), true;
  if (key == "t") {
    how.directories_first = !how.directories_first;
  } else if (key == "e") {
    how.hidden = !how.hidden;
    state.message = how.hidden ? "hidden and excluded entries are shown"
                               : "hidden and excluded entries are not shown; sums include them";
  } else if (key == "a") {
    how.measure = how.measure == fs::Measure::disk ? fs::Measure::apparent : fs::Measure::disk;
    state.message = how.measure == fs::Measure::disk ? "sizes are what is allocated on disk"
                                                     : "sizes are apparent sizes";
    // The reports are by size.
    if (state.extras != nullptr && state.extras->measure != how.measure) {
      if (state.view == View::largest) state.listing = {};
      state.extras.reset();
    }
    state.extras_failed = false;
    state.search(Search::growth).clear();
  } else {
    return false;
  }
  arrange(state, how);
  return true;
}

void show_map_or_not(State& state) {
  state.map.wanted = !state.map.wanted;
  make_map(state);
  const bool room = state.width >= kWidthForMap;
  if (state.map.wanted && !room) state.message = "the map needs a screen of 150 columns";
}

bool press_columns(State& state, std::string_view key) {
  Columns& columns = state.columns;
  if (key == "c") return columns.items = !columns.items, true;
  if (key == "m") return columns.modified = !columns.modified, true;
  if (key == "o") return columns.owner = !columns.owner, true;
  if (key == "T") return show_map_or_not(state), true;
  if (key == "u") return columns.exclusive = !columns.exclusive, true;
  if (key == "w") return columns.share = static_cast<std::uint8_t>((columns.share + 3) % 4), true;
  return false;
}

bool press_views(State& state, std::string_view key) {
  if (key.size() != 1 || key[0] < '1' || key[0] > '8') return false;
  open_view(state, static_cast<View>(key[0] - '1'));
  return true;
}

bool press_marking(State& state, std::string_view key) {
  if (key == " " || key == "x") return mark_and_move_down(state), true;
  if (key == "V" || key == "v") return mark_range(state), true;
  if (key == "*") return invert_marks(state), true;
  if (key == "d") return plan_or_not(state, MoveTo::quarantine), true;
  if (key == "D") return plan_or_not(state, MoveTo::trash), true;
  if (key == "X") return mark_safe(state), true;
  return false;
}

// Ends the search of the view. Returns whether it was running.
bool end_search(State& state) {
  const auto search = search_of(state.view);
  if (!search || !state.search(*search).running || state.search(*search).cancelling) return false;
  state.search(*search).cancelling = true;
  return true;
}

// Closes one thing, and never the program.
Effect escape(State& state) {
  if (state.anchor) {
    state.anchor.reset();
  } else if (end_search(state)) {
    return {Effect::Kind::cancel_search, ""};
  } else if (!filter_text(state).empty() ||
             (lists_entries(state.view) && state.listing.condition() != nullptr)) {
    select_from_all(state);
  } else if (state.view == View::found) {
    open_view(state, View::tree);
  } else if (!state.marks.empty()) {
    state.message = text::counted(state.marks.size(), "mark", "marks") + " cleared";
    clear_marks(state);
  }
  return {};
}

std::string selected_path(const State& state) {
  const auto row = row_at(state, state.cursor().at);
  if (!row || row->node == fs::kNoNode) return place_path(state);
  return state.facts->tree().path(row->node);
}

Effect rescan(State& state) {
  if (const auto search = search_of(state.view); search && !state.search(*search).running) {
    state.search(*search).clear();
    return {};
  }
  if (state.settings.saved) {
    state.message = "a saved scan cannot be repeated here";
  } else if (state.progress.running) {
    state.message = "the scan has not ended";
  } else if (state.place == fs::kNoDir) {
    state.message = "open one of the directories first";
  } else {
    return {Effect::Kind::rescan, state.facts->path(state.place)};
  }
  return {};
}

Effect shell(State& state) {
  if (state.settings.saved) {
    state.message = "a saved scan may be of another machine: no shell";
  } else if (state.settings.read_only) {
    state.message = "read-only: no shell";
  } else {
    return {Effect::Kind::shell, directory_here(state)};
  }
  return {};
}

Effect press_acts(State& state, std::string_view key) {
  if (key == "q") return quit(state, Effect::Kind::quit);
  if (key == "Q") return quit(state, Effect::Kind::quit_here);
  if (key == "y") return {Effect::Kind::copy, selected_path(state)};
  if (key == "b") return shell(state);
  if (key == "r") return rescan(state);
  if (key == "W") return begin_write(state), Effect{};
  if (key == "/") return begin_filter(state), Effect{};
  if (key == ":") return begin_where(state), Effect{};
  if (key == "i") return state.layer = Layer::info, Effect{};
  if (key == "?") return state.layer = Layer::help, Effect{};
  if (key == "P") return state.layer = Layer::plan, Effect{};
  if (key == "l") return open_row(state), Effect{};
  if (key == "h" || key == "<") return go_up(state), Effect{};
  if (key == "A") state.message = "plans are applied in the plan pane: P opens it";
  if (key == "I") leave_out_or_not(state);
  if (key == "U") ask_to_undo(state);
  return {};
}

Effect press_character(State& state, const std::string& key) {
  if (press_arranging(state, key) || press_columns(state, key) || press_views(state, key) ||
      press_marking(state, key)) {
    return {};
  }
  return press_acts(state, key);
}

Effect press_list(State& state, const Key& key) {
  const auto to = moved(key, state.cursor().at, list_size(state), list_rows(state));
  if (to) {
    move_to(state, *to);
    return {};
  }
  switch (key.kind) {
    case Kind::text:
      return press_character(state, key.text);
    case Kind::enter:
    case Kind::right:
      open_row(state);
      break;
    case Kind::left:
    case Kind::backspace:
      go_up(state);
      break;
    case Kind::tab:
      state.layer = Layer::plan;
      break;
    case Kind::escape:
      return escape(state);
    case Kind::control:
      if (key.text == "c") return interrupt(state);
      if (key.text == "r") state.message = "Ctrl-R does nothing here; r scans this directory again";
      break;
    default:
      break;
  }
  return {};
}

// Nothing is shown then, so nothing may happen.
Effect press_unseen(State& state, const Key& key) {
  if (state.layer == Layer::quit) return press_quit(state, key);
  if (is_text(key, "q")) return quit(state, Effect::Kind::quit);
  return is_control(key, "c") ? interrupt(state) : Effect{};
}

Effect press_layer(State& state, const Key& key) {
  if (is_too_small(state)) return press_unseen(state, key);
  switch (state.layer) {
    case Layer::none:
      return press_list(state, key);
    case Layer::filter:
      return press_filter(state, key);
    case Layer::where:
      return press_where(state, key);
    case Layer::info:
      return press_info(state, key);
    case Layer::help:
      return press_help(state, key);
    case Layer::plan:
      return press_plan(state, key);
    case Layer::planned:
      return press_planned(state, key);
    case Layer::write:
      return press_write(state, key);
    case Layer::quit:
      return press_quit(state, key);
    case Layer::apply:
      return press_apply(state, key);
    case Layer::remove:
      return press_remove(state, key);
    case Layer::undo:
      return press_undo(state, key);
  }
  return {};
}

}  // namespace

Effect press(State& state, const Key& key) {
  state.message.clear();
  if (!is_text(key, "d") && !is_text(key, "D")) state.told_last_copies.clear();
  if (state.filter_waits && !changes_prompt(state, key) && key.kind != Key::Kind::escape) {
    finish_filter(state);
  }
  Effect effect = press_layer(state, key);
  settle(state);
  return effect;
}

std::vector<std::string> paths_to_write(const State& state) {
  const Basket& basket = basket_to_write(state);
  std::vector<std::string> paths;
  paths.reserve(basket.size());
  for (const fs::Chosen& entry : basket.entries()) {
    paths.push_back(state.facts->tree().path(entry.node));
  }
  return paths;
}

}  // namespace fathom::tui

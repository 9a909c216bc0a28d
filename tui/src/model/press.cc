// Press: the keys of the list, and of each layer above it.

#include "model/press.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fathom/text/number.h"
#include "model/marking.h"
#include "model/place.h"

namespace fathom::tui {

namespace {

using Kind = Key::Kind;

bool is_text(const Key& key, std::string_view text) {
  return key.kind == Kind::text && key.text == text;
}

bool is_control(const Key& key, std::string_view letter) {
  return key.kind == Kind::control && key.text == letter;
}

// ---- Moving

// Where the cursor goes, in a list of that size; nothing if the key does not move.
std::optional<std::size_t> moved(const Key& key, std::size_t at, std::size_t size,
                                 std::size_t rows) {
  const std::size_t last = size == 0 ? 0 : size - 1;
  const auto up = [&](std::size_t count) { return at - std::min(at, count); };
  const auto down = [&](std::size_t count) { return std::min(last, at + count); };
  const std::size_t half = std::max<std::size_t>(1, rows / 2);
  switch (key.kind) {
    case Kind::up:
      return up(1);
    case Kind::down:
      return down(1);
    case Kind::page_up:
      return up(rows);
    case Kind::page_down:
      return down(rows);
    case Kind::home:
      return 0;
    case Kind::end:
      return last;
    case Kind::control:
      if (key.text == "u") return up(half);
      if (key.text == "d") return down(half);
      if (key.text == "p") return up(1);
      if (key.text == "n") return down(1);
      return std::nullopt;
    case Kind::text:
      if (key.text == "k") return up(1);
      if (key.text == "j") return down(1);
      if (key.text == "g") return 0;
      if (key.text == "G") return last;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// ---- Quitting

std::string directory_here(const State& state) {
  const auto row = row_at(state, state.cursor().at);
  if (state.view != View::tree && row && row->node != fs::kNoNode) {
    return state.facts->path(state.facts->tree().parent(row->node));
  }
  return state.facts->path(state.place);
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

Effect interrupt(State& state) {
  if (!state.progress.running || state.progress.cancelling) {
    return quit(state, Effect::Kind::quit);
  }
  state.progress.cancelling = true;
  state.message = "the scan ends; what was found stays, and its sums are lower bounds";
  return {Effect::Kind::cancel, ""};
}

// ---- Opening

void go_up(State& state) {
  if (state.view == View::found || state.view == View::largest || !lists_entries(state.view)) {
    return open_view(state, View::tree);
  }
  if (state.place == state.facts->top()) {
    state.message = "the scan begins here";
    return;
  }
  const fs::Tree& tree = state.facts->tree();
  open_directory(state, tree.parent_of(state.place), tree.node(state.place));
}

void open_report_row(State& state) {
  const auto* const report = report_of(state);
  if (report == nullptr || state.cursor().at >= report->size()) return;
  const Query& query = (*report)[state.cursor().at].query;
  open_found(state, std::make_shared<const Found>(find_all(*state.facts, query)));
}

void open_row(State& state) {
  if (!lists_entries(state.view)) return open_report_row(state);
  const auto row = row_at(state, state.cursor().at);
  if (!row) return;
  if (row->directory != fs::kNoDir) return open_directory(state, row->directory);
  if (state.view == View::tree) {
    state.layer = Layer::info;
    return;
  }
  open_directory(state, state.facts->tree().parent(row->node), row->node);
}

// ---- The filter

void begin_filter(State& state) {
  if (!lists_entries(state.view)) {
    state.message = "the filter works on lists of entries; Enter opens the list of a row";
    return;
  }
  state.layer = Layer::filter;
  state.text_before = state.listing.text();
  state.view_before = state.view;
  state.prompt = state.text_before;
}

// A text that begins with a slash is looked for in the whole tree.
void apply_filter(State& state) {
  if (!state.prompt.starts_with('/')) {
    if (state.view == View::found && state.view_before != View::found) {
      open_view(state, state.view_before);
    }
    return narrow(state, state.prompt);
  }
  const std::string text = state.prompt.substr(1);
  if (text.empty()) return;
  const Query query{.kind = Query::Kind::name, .text = text, .words = text};
  const bool narrower = state.found != nullptr && state.view == View::found &&
                        state.found->query.kind == Query::Kind::name &&
                        text.find_first_of("*?[") == std::string::npos &&
                        state.found->query.text.find_first_of("*?[") == std::string::npos &&
                        text.find(state.found->query.text) != std::string::npos;
  open_found(state,
             std::make_shared<const Found>(narrower ? find_among(*state.facts, *state.found, query)
                                                    : find_all(*state.facts, query)));
}

void give_filter_up(State& state) {
  state.filter_waits = false;
  state.layer = Layer::none;
  if (state.view != state.view_before) open_view(state, state.view_before);
  narrow(state, state.text_before);
}

// Removes the last character, which may have several bytes.
void erase_last(std::string& text) {
  while (!text.empty()) {
    const auto last = static_cast<unsigned char>(text.back());
    text.pop_back();
    if ((last & 0xc0) != 0x80) return;
  }
}

// Changes the prompt. Returns whether the key was for it.
bool edit(std::string& prompt, const Key& key) {
  constexpr std::size_t kLongest = 4096;
  if (key.kind == Kind::text && prompt.size() < kLongest) {
    prompt += key.text;
  } else if (key.kind == Kind::backspace) {
    erase_last(prompt);
  } else if (is_control(key, "u")) {
    prompt.clear();
  } else {
    return false;
  }
  return true;
}

// Whether filtering may take longer than a person notices.
bool is_long(const State& state) {
  constexpr std::size_t kLong = 100'000;
  const bool whole = state.prompt.starts_with('/');
  const fs::Counts& counts = state.facts->below(whole ? fs::kNoDir : state.place);
  return (whole || state.view == View::tree ? counts.entries() : list_size(state)) > kLong;
}

bool changes_prompt(const State& state, const Key& key) {
  if (state.layer != Layer::filter) return false;
  return key.kind == Kind::text || key.kind == Kind::backspace;
}

Effect press_filter(State& state, const Key& key) {
  const bool was_empty = state.prompt.empty();
  if (key.kind == Kind::escape || is_control(key, "c") ||
      (key.kind == Kind::backspace && was_empty)) {
    give_filter_up(state);
  } else if (key.kind == Kind::enter) {
    state.layer = Layer::none;
  } else if (edit(state.prompt, key)) {
    state.filter_waits = true;
    if (!is_long(state)) finish_filter(state);
  } else if (const auto to = key.kind == Kind::text ? std::nullopt
                                                    : moved(key, state.cursor().at,
                                                            list_size(state), list_rows(state))) {
    move_to(state, *to);
  }
  return {};
}

// ---- Writing the paths

void begin_write(State& state) {
  if (state.plan.empty() && state.marks.empty()) {
    state.message = "nothing is marked and the plan is empty";
    return;
  }
  state.layer = Layer::write;
  state.prompt = "fathom-paths";
}

Effect press_write(State& state, const Key& key) {
  if (key.kind == Kind::escape || is_control(key, "c")) {
    state.layer = Layer::none;
  } else if (key.kind == Kind::enter) {
    state.layer = Layer::none;
    if (!state.prompt.empty()) return {Effect::Kind::write, state.prompt};
  } else {
    edit(state.prompt, key);
  }
  return {};
}

// ---- The plan

Effect press_apply(State& state, const Key& key) {
  state.layer = Layer::plan;
  return is_text(key, "y") ? Effect{Effect::Kind::apply, ""} : Effect{};
}

Effect press_undo(State& state, const Key& key) {
  state.layer = Layer::none;
  return is_text(key, "y") ? Effect{Effect::Kind::undo, ""} : Effect{};
}

void ask_to_undo(State& state) {
  if (state.can_undo) {
    state.layer = Layer::undo;
  } else {
    state.message = "nothing was moved here that could be moved back";
  }
}

void ask_to_apply(State& state) {
  if (state.settings.read_only) {
    state.message = "read-only: W writes the list of paths";
  } else if (!state.settings.can_apply || state.settings.saved) {
    state.message = "plans cannot be applied here: W writes the list of paths";
  } else if (!state.plan.empty()) {
    state.layer = Layer::apply;
  }
}

void show_planned(State& state) {
  if (state.plan.empty()) return;
  const fs::Chosen entry = state.plan.entries()[state.plan_cursor.at];
  state.layer = Layer::none;
  open_directory(state, state.facts->tree().parent(entry.node), entry.node);
}

Effect press_plan(State& state, const Key& key) {
  const auto to = moved(key, state.plan_cursor.at, state.plan.size(), list_rows(state));
  if (to) {
    state.plan_cursor.at = *to;
  } else if (is_text(key, "x") || is_text(key, "d") || is_text(key, " ")) {
    take_out(state);
  } else if (is_text(key, "W")) {
    begin_write(state);
  } else if (is_text(key, "A")) {
    ask_to_apply(state);
  } else if (key.kind == Kind::enter || key.kind == Kind::right || is_text(key, "l")) {
    show_planned(state);
  } else if (is_text(key, "?")) {
    state.layer = Layer::help;
  } else if (key.kind == Kind::escape || key.kind == Kind::tab || is_text(key, "P") ||
             is_text(key, "q") || is_text(key, "h") || key.kind == Kind::left ||
             key.kind == Kind::backspace || is_control(key, "c")) {
    state.layer = Layer::none;
  }
  return {};
}

// ---- Layers that only show something

Effect press_help(State& state, const Key& key) {
  const std::size_t rows = list_rows(state);
  const std::size_t places = kHelpLines > rows ? kHelpLines - rows + 1 : 1;
  const auto to = moved(key, state.scroll, places, rows);
  if (to) {
    state.scroll = *to;
  } else {
    state.layer = Layer::none;
    state.scroll = 0;
  }
  return {};
}

Effect press_info(State& state, const Key& key) {
  const auto to = moved(key, state.cursor().at, list_size(state), list_rows(state));
  if (to) {
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
  } else {
    return false;
  }
  arrange(state, how);
  return true;
}

bool press_columns(State& state, std::string_view key) {
  Columns& columns = state.columns;
  if (key == "c") return columns.items = !columns.items, true;
  if (key == "m") return columns.modified = !columns.modified, true;
  if (key == "o") return columns.owner = !columns.owner, true;
  if (key == "u") return columns.exclusive = !columns.exclusive, true;
  if (key == "w") return columns.share = static_cast<std::uint8_t>((columns.share + 3) % 4), true;
  return false;
}

bool press_views(State& state, std::string_view key) {
  constexpr std::string_view kNames[] = {"Clean", "Grew", "Dups"};
  if (key.size() != 1 || key[0] < '1' || key[0] > '8') return false;
  const int number = key[0] - '1';
  if (number < 5) {
    open_view(state, static_cast<View>(number));
  } else {
    state.message = std::string(kNames[number - 5]) + " is not available yet";
  }
  return true;
}

bool press_marking(State& state, std::string_view key) {
  if (key == " " || key == "x") return mark_and_move_down(state), true;
  if (key == "V" || key == "v") return mark_range(state), true;
  if (key == "*") return invert_marks(state), true;
  if (key == "d" || key == "D") return plan_or_not(state), true;
  return false;
}

// Closes one thing, and never the program.
void escape(State& state) {
  if (state.anchor) {
    state.anchor.reset();
  } else if (lists_entries(state.view) && !state.listing.text().empty()) {
    const auto row = row_at(state, state.cursor().at);
    narrow(state, "");
    if (row && row->node != fs::kNoNode) move_to(state, state.listing.find(row->node));
  } else if (state.view == View::found) {
    open_view(state, View::tree);
  } else if (!state.marks.empty()) {
    state.message = text::counted(state.marks.size(), "mark", "marks") + " cleared";
    clear_marks(state);
  }
}

std::string selected_path(const State& state) {
  const auto row = row_at(state, state.cursor().at);
  if (!row || row->node == fs::kNoNode) return state.facts->path(state.place);
  return state.facts->tree().path(row->node);
}

Effect rescan(State& state) {
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
  if (key == "i") return state.layer = Layer::info, Effect{};
  if (key == "?") return state.layer = Layer::help, Effect{};
  if (key == "P") return state.layer = Layer::plan, Effect{};
  if (key == "l") return open_row(state), Effect{};
  if (key == "h" || key == "<") return go_up(state), Effect{};
  if (key == "A") state.message = "plans are applied in the plan pane: P opens it";
  if (key == "X" || key == "I") state.message = std::string(key) + " is not available yet";
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
      escape(state);
      break;
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
    case Layer::info:
      return press_info(state, key);
    case Layer::help:
      return press_help(state, key);
    case Layer::plan:
      return press_plan(state, key);
    case Layer::write:
      return press_write(state, key);
    case Layer::quit:
      return press_quit(state, key);
    case Layer::apply:
      return press_apply(state, key);
    case Layer::undo:
      return press_undo(state, key);
  }
  return {};
}

}  // namespace

void finish_filter(State& state) {
  state.filter_waits = false;
  apply_filter(state);
  settle(state);
}

Effect press(State& state, const Key& key) {
  state.message.clear();
  if (state.filter_waits && !changes_prompt(state, key) && key.kind != Key::Kind::escape) {
    finish_filter(state);
  }
  Effect effect = press_layer(state, key);
  settle(state);
  return effect;
}

fs::DirId forget_applied_plan(State& state) {
  const fs::Tree& tree = state.facts->tree();
  fs::DirId common = fs::kNoDir;
  bool is_first = true;
  for (const fs::Chosen& entry : state.plan.entries()) {
    fs::DirId other = tree.parent(entry.node);
    if (std::exchange(is_first, false)) common = other;
    while (common != other && common != fs::kNoDir && other != fs::kNoDir) {
      fs::DirId& deeper = tree.depth(common) >= tree.depth(other) ? common : other;
      deeper = tree.parent_of(deeper);
    }
    if (other == fs::kNoDir) common = fs::kNoDir;
  }
  state.plan.clear();
  clear_marks(state);
  state.layer = Layer::none;
  refresh_sums(state);
  return common;
}

std::vector<std::string> paths_to_write(const State& state) {
  const Basket& basket = state.plan.empty() ? state.marks : state.plan;
  std::vector<std::string> paths;
  paths.reserve(basket.size());
  for (const fs::Chosen& entry : basket.entries()) {
    paths.push_back(state.facts->tree().path(entry.node));
  }
  return paths;
}

}  // namespace fathom::tui

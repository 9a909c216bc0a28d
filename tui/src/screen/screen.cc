// Screen: the lines around the list, and what is above it.

#include "screen/screen.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "fathom/text/pieces.h"
#include "model/what_if.h"
#include "screen/area.h"
#include "screen/entry_table.h"
#include "screen/finding_table.h"
#include "screen/help_panel.h"
#include "screen/info_panel.h"
#include "screen/layout.h"
#include "screen/map_panel.h"
#include "screen/plan_pane.h"
#include "screen/questions.h"
#include "screen/report_table.h"
#include "screen/titles.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

// ---- The lines above

// The sums at the right of the first line, as much as there is room for.
std::string headline_sums(const State& state, unsigned room) {
  if (state.view == View::found) return text::grouped(state.listing.size()) + " found";
  const fs::DirId place = state.view == View::tree ? state.place : state.facts->top();
  const fs::Counts counts = state.facts->below(place);
  std::vector<std::string> parts;
  const LeftOut out = left_out_here(state);
  const std::uint64_t bytes = fs::bytes_of(counts, state.how.measure);
  std::string size = bytes_text(state, bytes - std::min(bytes, out.bytes));
  if (state.facts->lower_bound(place)) size.insert(0, at_least(state));
  if (out.rows > 0) size += " without " + text::counted(out.rows, "row", "rows");
  parts.push_back(size);
  parts.push_back(text::counted(counts.entries(), "entry", "entries"));
  if (state.disk_percent) parts.push_back("disk " + std::to_string(*state.disk_percent) + "% full");
  if (!state.settings.note.empty()) parts.push_back(state.settings.note);
  std::string text;
  for (const std::string& part : parts) {
    const std::string more = (text.empty() ? "" : "  ") + part;
    constexpr unsigned kMoreForSize = 6;
    if (columns_of(text) + columns_of(more) > room + (text.empty() ? kMoreForSize : 0)) break;
    text += more;
  }
  return text;
}

std::string where(const State& state) {
  switch (state.view) {
    case View::found:
      if (state.found->query.kind == Query::Kind::name) {
        return "Found by name: " + state.found->query.words;
      }
      return "Found: " + state.found->query.words;
    case View::tree:
      if (state.place == fs::kNoDir) {
        return text::counted(state.facts->in(fs::kNoDir).size(), "root", "roots");
      }
      return short_path(state, state.facts->path(state.place));
    default:
      break;
  }
  const fs::DirId top = state.facts->top();
  return top == fs::kNoDir ? "all roots" : short_path(state, state.facts->path(top));
}

// What the findings on the screen are, beyond their rows; empty if there is nothing to say.
std::string finding_words(const State& state) {
  const FindingList* const list = findings_on_screen(state);
  if (list == nullptr || list->findings() == nullptr) return "";
  const Findings& findings = *list->findings();
  if (!findings.complete) return "(ended early)";
  if (state.view != View::grew) return "";
  return text::signed_bytes(findings.total, state.settings.units) + " since " +
         date_text(findings.since, state.facts->now());
}

void draw_headline(const State& state, Grid& grid) {
  const unsigned width = grid.width();
  constexpr unsigned kRoomForPath = 16;
  const std::string sums = headline_sums(state, width - kRoomForPath - 4);
  const unsigned sums_width = columns_of(sums);
  const unsigned x = width - sums_width - 1;
  std::string more = finding_words(state);
  if (!more.empty()) more.insert(0, "  ");
  constexpr unsigned kLeastPlace = 10;
  unsigned room = x - 3;
  room -= std::min(room - std::min(room, kLeastPlace), columns_of(more));
  const unsigned end = grid.put(1, 0, fitted(state, where(state), room), {.tone = Tone::strong});
  grid.put(end, 0, cut_off(state, more, x - end - 1));
  grid.put(x, 0, sums, {.tone = Tone::strong});
}

// ---- The lines below

// Why the selected entry of the plan was not moved; empty: nobody has tried.
std::string why_left(const State& state) {
  if (state.layer != Layer::plan || state.plan_cursor.at >= state.plan.size()) return "";
  const auto why = state.why_left.find(state.plan.entries()[state.plan_cursor.at].node);
  if (why == state.why_left.end()) return "";
  return "left out: " + text::safe(why->second, state.settings.unicode);
}

// In place of both lines, because reasons have paths.
void draw_why_left(const State& state, const std::string& why, Grid& grid) {
  const unsigned room = grid.width() - 2;
  const std::size_t first = first_line(why, room);
  const unsigned y = grid.height() - 3;
  grid.put(1, y, why.substr(0, first), {.tone = Tone::warning});
  const std::size_t rest = std::min(why.find_first_not_of(' ', first), why.size());
  grid.put(1, y + 1, cut_off(state, why.substr(rest), room), {.tone = Tone::warning});
}

void draw_info_line(const State& state, Grid& grid) {
  const unsigned y = grid.height() - 3;
  if (!has_entries(state.view)) {
    grid.put(1, y, "Enter lists the entries of this row");
    return;
  }
  grid.put(1, y, cut_off(state, info_line(state), grid.width() - 2));
}

void draw_plan_line(const State& state, Grid& grid) {
  const unsigned y = grid.height() - 2;
  std::string text = "The plan is empty; nothing is marked.";
  std::string hint;
  Tone tone = Tone::plain;
  const unsigned room = grid.width() - 2 - 8;  // "Marked: "
  if (!state.marks.empty()) {
    text = "Marked: " + sums_text(state, state.marks, state.marked_items, state.marked_sums, room);
    hint = "d plan";
    tone = Tone::marked;
  } else if (!state.plan.empty()) {
    text = "Plan: " + sums_text(state, state.plan, state.planned_items, state.planned_sums, room);
    hint = "P review";
    tone = Tone::planned;
  }
  const unsigned end = grid.put(1, y, text, {.tone = tone});
  if (end + 2 + hint.size() < grid.width()) grid.put(end + 2, y, hint, {.tone = tone});
}

std::string hints_of(const State& state) {
  switch (state.layer) {
    case Layer::plan:
      if (state.plan.empty()) return "Esc back  ? keys";
      return std::string(state.settings.can_apply ? "A apply  " : "") +
             "x take out  W write  Enter show  i info  Esc back  ? keys";
    case Layer::help:
      return "j k scroll  any other key closes";
    case Layer::info:
    case Layer::planned:
      return std::string("j k next entry  ") +
             (hidden_info_lines(state) > 0 ? "PgDn PgUp scroll  " : "") + "any other key closes";
    case Layer::quit:
      return "y quit  Q quit, and print the directory  any other key stays";
    case Layer::apply:
      return "y move  D delete  any other key: no";
    case Layer::undo:
      return "y move back  any other key: no";
    default:
      break;
  }
  if (state.view == View::clean) {
    return "d plan  X mark safe  Enter go there  / filter  i why  r again  1 tree  ? keys";
  }
  if (state.view == View::grew) {
    return "d plan  Enter go there  / filter  i info  r again  1 tree  ? keys";
  }
  if (state.view == View::duplicates) {
    return "Enter open  d plan (of a group: all but the first)  / filter  r again  1 tree  ? keys";
  }
  if (!has_entries(state.view)) return "Enter list  / filter  1 tree  q quit  ? keys";
  if (state.view != View::tree)
    return "Space mark  d plan  Enter go there  i info  Esc tree  ? keys";
  return "Space mark  d plan  Enter open  / filter  i info  ? keys";
}

// As many of the hints, which two blanks separate, as there is room for; always the last one, which
// tells where the others are.
std::string fitted_hints(std::string hints, unsigned room) {
  while (hints.size() > room) {
    const std::size_t last = hints.rfind("  ");
    const std::size_t before = last == std::string::npos ? last : hints.rfind("  ", last - 1);
    if (last == std::string::npos || last == 0) return hints;
    hints.erase(before == std::string::npos ? 0 : before,
                before == std::string::npos ? last + 2 : last - before);
  }
  return hints;
}

std::string scanning_text(const State& state) {
  if (!state.progress.running) {
    const bool searching = std::any_of(state.searches.begin(), state.searches.end(),
                                       [](const FindingList& list) { return list.running; });
    return searching ? "searching" : "";
  }
  if (state.progress.cancelling) return "ending the scan";
  const std::string rate = text::rate_of(state.progress.entries, state.progress.seconds);
  return rate.empty() ? "scanning" : "scanning " + rate;
}

// A text in as many columns, of which the end is always visible.
struct Scrolled {
  std::string text;
  unsigned hidden = 0;  // columns of the text before
  unsigned mark = 0;    // columns of the sign that there are some
};

Scrolled scrolled(const State& state, const std::string& text, unsigned room) {
  const unsigned whole = columns_of(text);
  if (whole <= room) return {text};
  const std::string_view ellipsis = state.settings.unicode ? "\u2026" : "..";
  Scrolled shown{std::string(ellipsis), 0, columns_of(ellipsis)};
  for (text::Pieces rest(text); const auto piece = rest.next();) {
    if (whole - shown.hidden + shown.mark > room) {
      shown.hidden += piece->width;
    } else {
      shown.text += piece->bytes;
    }
  }
  return shown;
}

constexpr std::string_view kWhereTitle = ": ";
constexpr std::string_view kWhereHint = "Enter select  Esc drop  :: tree";

unsigned room_for_prompt(const Grid& grid, std::string_view title, std::string_view hint) {
  return grid.width() - static_cast<unsigned>(title.size() + hint.size()) - 4;
}

// As many parts of the hint, from the first, as leave room for what is typed.
std::string_view hint_of_prompt(const Grid& grid, std::string_view title, std::string_view hint) {
  constexpr unsigned kLeastPrompt = 15;
  while (!hint.empty() && title.size() + hint.size() + 4 + kLeastPrompt > grid.width()) {
    const std::size_t last = hint.rfind("  ");
    hint = hint.substr(0, last == std::string_view::npos ? 0 : last);
  }
  return hint;
}

// A condition has blanks, which only names would show in another way.
Scrolled shown_prompt(const State& state, unsigned room) {
  const std::string text = state.layer == Layer::where
                               ? text::safe(state.prompt, state.settings.unicode)
                               : text::escaped(state.prompt, state.settings.unicode);
  return scrolled(state, text, room);
}

void draw_prompt(const State& state, std::string_view title, std::string_view hint, Grid& grid) {
  const unsigned y = grid.height() - 1;
  unsigned x = grid.put(1, y, title, {.tone = Tone::strong});
  hint = hint_of_prompt(grid, title, hint);
  const unsigned room = room_for_prompt(grid, title, hint);
  x = grid.put(x, y, shown_prompt(state, room).text);
  grid.cursor_x = x;
  grid.cursor_y = y;
  grid.cursor_visible = true;
  grid.put(grid.width() - static_cast<unsigned>(hint.size()) - 1, y, hint);
}

// What is wrong with the condition, and an arrow to the place.
void draw_where_error(const State& state, Grid& grid) {
  if (state.where_error.empty()) return;
  const unsigned y = grid.height() - 3;
  for (unsigned i = 0; i < 2; ++i) grid.clear(0, y + i, grid.width());
  const std::string sentence = text::safe(state.where_error, state.settings.unicode);
  grid.put(1, y, cut_off(state, sentence, grid.width() - 2), {.tone = Tone::warning});
  const std::string before = text::safe(
      std::string_view(state.prompt).substr(0, state.where_column), state.settings.unicode);
  const std::string_view hint = hint_of_prompt(grid, kWhereTitle, kWhereHint);
  const Scrolled shown = shown_prompt(state, room_for_prompt(grid, kWhereTitle, hint));
  const unsigned column = columns_of(before);
  // What is hidden is below the sign at the left.
  const unsigned x = column < shown.hidden ? 0 : column - shown.hidden + shown.mark;
  grid.put(3 + x, y + 1, "v", {.tone = Tone::warning});
}

// In as many of the lowest three lines as it needs.
void draw_long_message(const State& state, const std::string& message, Grid& grid) {
  constexpr std::size_t kMost = 3;
  const unsigned room = grid.width() - 2;
  std::vector<std::string> lines = text_lines(message, room);
  if (lines.size() > kMost) {
    lines[kMost - 1] = cut_off(state, lines[kMost - 1] + ' ' + lines[kMost], room);
    lines.resize(kMost);
  }
  unsigned y = grid.height() - static_cast<unsigned>(lines.size());
  for (const std::string& line : lines) {
    grid.clear(0, y, grid.width());
    grid.put(1, y++, line, {.tone = Tone::warning});
  }
}

void draw_hints(const State& state, Grid& grid) {
  if (state.layer == Layer::filter) {
    return draw_prompt(state, "/", "Enter keep  Esc drop  // tree", grid);
  }
  if (state.layer == Layer::where) {
    draw_prompt(state, kWhereTitle, kWhereHint, grid);
    return draw_where_error(state, grid);
  }
  if (state.layer == Layer::write) {
    if (state.settings.can_plan) {
      const unsigned y = grid.height() - 2;
      grid.clear(0, y, grid.width());
      grid.put(1, y, "NAME.plan for fathom apply; else paths");
    }
    const std::string title = state.plan.empty() ? "Write the marks to: " : "Write the plan to: ";
    return draw_prompt(state, title, "Enter  Esc", grid);
  }
  if (state.layer == Layer::remove) return;  // its prompt is below the question
  const unsigned y = grid.height() - 1;
  const std::string right = scanning_text(state);
  const auto right_x = static_cast<unsigned>(grid.width() - right.size() - 1);
  if (state.message.empty()) {
    const unsigned end = right.empty() ? grid.width() - 1 : right_x - 2;
    grid.put(1, y, fitted_hints(hints_of(state), end - 1));
  } else {
    const std::string message = text::safe(state.message, state.settings.unicode);
    if (columns_of(message) + 2 > grid.width()) return draw_long_message(state, message, grid);
    grid.put(1, y, message, {.tone = Tone::warning});
    if (!right.empty() && columns_of(message) + 4 > right_x) return;
  }
  if (right.empty()) return;
  grid.clear(right_x - 2, y, grid.width());
  grid.put(right_x, y, right);
}

// ---- Questions

void draw_box(const State& state, const std::vector<std::string>& question, Grid& grid) {
  const Frames& frame = frames_of(state);
  unsigned inner = 0;
  for (const std::string& line : question) inner = std::max(inner, columns_of(line));
  inner = std::min(inner, grid.width() - 4);
  std::vector<std::string> lines = text_lines(question.front(), inner);
  const std::size_t strong = lines.size();
  for (std::size_t i = 1; i < question.size(); ++i) {
    for (std::string& line : text_lines(question[i], inner)) lines.push_back(std::move(line));
  }
  // The keys come last.
  while (lines.size() + 2 > grid.height()) lines.erase(lines.end() - 2);
  const unsigned x = (grid.width() - inner - 4) / 2;
  const auto needed = static_cast<unsigned>(lines.size()) + 2;
  unsigned y = std::min(grid.height() / 2 - std::min<unsigned>(grid.height() / 2, 3),
                        grid.height() - needed);
  const auto put_edge = [&](std::string_view left, std::string_view right) {
    grid.clear(x, y, inner + 4);
    unsigned at = grid.put(x, y, left);
    for (unsigned i = 0; i < inner + 2; ++i) at = grid.put(at, y, frame.across);
    grid.put(at, y++, right);
  };
  put_edge(frame.top_left, frame.top_right);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    grid.clear(x, y, inner + 4);
    grid.put(x, y, frame.down);
    grid.put(x + 2, y, lines[i], {.tone = i < strong ? Tone::strong : Tone::plain});
    grid.put(x + inner + 3, y++, frame.down);
  }
  put_edge(frame.bottom_left, frame.bottom_right);
  grid.cursor_x = x + 2;
  grid.cursor_y = y - 2;
}

// ---- All

void draw_list(const State& state, const Area& area, Grid& grid) {
  if (lists_entries(state.view)) {
    draw_entries(state, area, grid);
  } else if (search_of(state.view)) {
    draw_findings(state, area, grid);
  } else {
    draw_report(state, area, grid);
  }
}

void draw_middle(const State& state, Grid& grid) {
  const Area area{0, 2, grid.width(), grid.height() - 5};
  if (state.layer == Layer::help) return draw_help(state, area, grid);
  if (state.layer == Layer::info || state.layer == Layer::planned) {
    return draw_info(state, area, grid);
  }
  const Layout layout = layout_of(state, grid.width(), grid.height());
  const std::optional<Area>& side = layout.plan ? layout.plan : layout.map;
  if (layout.list) draw_list(state, *layout.list, grid);
  if (layout.list && side) {
    for (unsigned y = area.y; y < area.y + area.height; ++y) {
      grid.put(side->x - 1, y, frames_of(state).down);
    }
  }
  if (layout.plan) draw_plan(state, *layout.plan, grid);
  if (layout.map) draw_map(state, *layout.map, grid);
}

Grid draw_too_small(const State& state, unsigned width, unsigned height) {
  Grid grid(width, height);
  const std::string needed = std::to_string(kLeastWidth) + 'x' + std::to_string(kLeastHeight);
  grid.put(0, 0, "Fathom needs " + needed);
  grid.put(0, 1, "This is " + std::to_string(width) + 'x' + std::to_string(height));
  grid.put(0, 2, state.layer == Layer::quit ? "Quit? y: yes" : "q quits");
  return grid;
}

}  // namespace

Grid draw(const State& state) {
  const unsigned width = std::min(state.width, kMostWidth);
  const unsigned height = std::min(state.height, kMostHeight);
  if (is_too_small(state)) return draw_too_small(state, width, height);
  Grid grid(width, height);
  draw_headline(state, grid);
  draw_titles(state, grid);
  draw_middle(state, grid);
  if (const std::string why = why_left(state); !why.empty()) {
    draw_why_left(state, why, grid);
  } else {
    draw_info_line(state, grid);
    draw_plan_line(state, grid);
  }
  draw_hints(state, grid);
  if (state.layer == Layer::quit) draw_box(state, quit_question(state), grid);
  if (state.layer == Layer::apply) draw_box(state, apply_question(state, "U"), grid);
  if (state.layer == Layer::remove) {
    draw_box(state, remove_question(state, "U"), grid);
    grid.clear(0, grid.height() - 1, grid.width());
    draw_prompt(state, "Type delete: ", "Enter  Esc", grid);
  }
  if (state.layer == Layer::undo) draw_box(state, undo_question(state), grid);
  return grid;
}

void settle_scroll(State& state) {
  const bool info = state.layer == Layer::info || state.layer == Layer::planned;
  if (info) state.scroll = std::min(state.scroll, hidden_info_lines(state));
  if (state.layer == Layer::help) {
    state.scroll = std::min(state.scroll, hidden_help_lines(state));
  }
}

}  // namespace fathom::tui

// FindingTable: headings of groups and rows of entries.

#include "screen/finding_table.h"

#include <algorithm>
#include <string_view>

#include "fathom/base/saturating.h"
#include "fathom/fs/kind_words.h"
#include "fathom/text/bar.h"
#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "screen/entry_table.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

constexpr unsigned kFindingSigns = 4;
constexpr unsigned kFindingSize = 10;
constexpr unsigned kRule = 18;
constexpr unsigned kAge = 9;
constexpr unsigned kWidthForAge = 72;
constexpr unsigned kCopies = 8;
constexpr unsigned kFindingDate = 12;
constexpr unsigned kChange = 12;
constexpr unsigned kChangeSide = 8;
constexpr unsigned kChangeBar = 2 * kChangeSide + 2;
constexpr unsigned kWidthForSides = 76;

std::string_view meaning_of(FindingGroup::Kind kind) {
  switch (kind) {
    case FindingGroup::Kind::safe:
      return "safe: a command makes it again";
    case FindingGroup::Kind::probably:
      return "probably: nobody is likely to miss it";
    case FindingGroup::Kind::yours:
      return "yours: it may be somebody's work";
    case FindingGroup::Kind::tool:
      return "tool: only its own tool removes it";
    case FindingGroup::Kind::skipped:
      return "skipped: it is in use, or never to be touched";
    case FindingGroup::Kind::equal:
    case FindingGroup::Kind::changes:
      break;
  }
  return "";
}

std::string days_text(const State& state, std::int64_t time) {
  if (time == fs::kUnknownTime) return "-";
  return text::grouped(days_between(time, state.facts->now())) + " d";
}

// Why there are no rows.
std::string nothing_text(const State& state, const FindingList& list) {
  if (state.settings.saved && state.view == View::grew) {
    return "(fathom diff compares saved scans)";
  }
  if (state.settings.saved) return "(a saved scan may be of another machine)";
  if (state.progress.running) return "(waits for the end of the scan)";
  if (!list.why.empty()) return text::safe(list.why, state.settings.unicode);
  if (list.findings() != nullptr) {
    return list.text().empty() ? "(nothing was found)" : "(nothing matches)";
  }
  if (list.cancelling) return "(ending the search)";
  return "(searching" + (list.progress.empty() ? "" : ": " + list.progress) + "; Esc ends it)";
}

class FindingTable {
 public:
  FindingTable(const State& state, const Area& area, Grid& grid)
      : state_(state), list_(*findings_on_screen(state)), area_(area), grid_(grid) {}

  void draw() {
    find_largest_change();
    draw_columns();
    const std::size_t first = state_.cursor().top;
    for (unsigned i = 0; i + 1 < area_.height && first + i < list_.size(); ++i) {
      draw_row(first + i, area_.y + 1 + i);
    }
    if (list_.size() == 0) draw_nothing();
  }

 private:
  // In as many rows as it needs.
  void draw_nothing() {
    unsigned y = area_.y + 1;
    for (const std::string& line :
         text_lines(nothing_text(state_, list_), area_.width - kFindingSigns - 1)) {
      if (y < area_.y + area_.height) grid_.put(area_.x + kFindingSigns, y++, line);
    }
  }

  [[nodiscard]] bool shows_columns() const { return area_.width >= kWidthForColumns; }
  [[nodiscard]] bool shows_sides() const { return area_.width >= kWidthForSides; }
  [[nodiscard]] bool shows_age() const { return area_.width >= kWidthForAge; }

  // Writes the text so that it ends before the gap of the column, and returns where the next
  // begins.
  unsigned put_at_right(unsigned x, unsigned y, std::string_view text, unsigned width,
                        Style style = {}) {
    grid_.put(x, y, text::right(text, width - 2), style);
    return x + width;
  }

  void find_largest_change() {
    if (list_.findings() == nullptr) return;
    for (const Change& change : list_.findings()->changes) {
      most_ = std::max(most_, base::magnitude(change.bytes()));
    }
  }

  void draw_columns() {
    const unsigned x = area_.x + kFindingSigns;
    const Style style{.tone = Tone::strong};
    unsigned path = x;
    if (state_.view == View::grew) {
      path = draw_change_columns(x, style);
    } else if (state_.view == View::duplicates) {
      path = put_at_right(x, area_.y, "Wasted", kFindingSize, style);
      if (shows_columns()) {
        path = put_at_right(path, area_.y, "Copies", kCopies, style);
        grid_.put(path, area_.y, "Modified", style);
        path += kFindingDate;
      }
    } else {
      path = put_at_right(x, area_.y, "Size", kFindingSize, style);
      if (shows_columns()) {
        grid_.put(path, area_.y, "Rule", style);
        path += kRule;
      }
      if (shows_age()) path = put_at_right(path, area_.y, "Age", kAge, style);
    }
    grid_.put(path, area_.y, "Path", style);
  }

  unsigned draw_change_columns(unsigned x, Style style) {
    x = put_at_right(x, area_.y, "Change", kChange, style);
    if (!shows_columns()) return x;
    grid_.put(x, area_.y, "less", style);
    grid_.put(x + kChangeSide + 1, area_.y, "more", style);
    x += kChangeBar;
    if (!shows_sides()) return x;
    x = put_at_right(x, area_.y, "Before", kFindingSize, style);
    return put_at_right(x, area_.y, "Now", kFindingSize, style);
  }

  void draw_row(std::size_t index, unsigned y) {
    const Finding* const item = list_.item(index);
    if (item == nullptr) {
      draw_heading(index, y);
    } else {
      draw_signs(*item, y);
      if (state_.view == View::grew) {
        draw_change(list_.findings()->changes[item->detail], *item, y);
      } else if (state_.view == View::duplicates) {
        draw_equal(*item, y);
      } else {
        draw_ruled(*item, list_.group(index).kind, y);
      }
    }
    draw_selection(index, y);
  }

  void draw_selection(std::size_t index, unsigned y) {
    const bool selected = index == state_.cursor().at;
    grid_.put(area_.x, y, selected ? ">" : " ");
    if (!selected || state_.layer == Layer::plan) return;
    grid_.set_reverse(area_.x, y, area_.width);
    grid_.cursor_x = area_.x;
    grid_.cursor_y = y;
  }

  void draw_heading(std::size_t index, unsigned y) {
    const FindingGroup& group = list_.group(index);
    const bool open = list_.is_open(list_.row(index).group);
    const std::string_view closed_sign = state_.settings.unicode ? "▸" : "+";
    const std::string_view open_sign = state_.settings.unicode ? "▾" : "v";
    const Style style{.tone = Tone::strong};
    grid_.put(area_.x + 2, y, open ? open_sign : closed_sign, style);
    const unsigned x = area_.x + kFindingSigns;
    if (group.kind != FindingGroup::Kind::skipped) {
      put_at_right(x, y, bytes_text(state_, group.bytes), kFindingSize, style);
    }
    if (group.kind == FindingGroup::Kind::equal) return draw_equal_heading(group, y);
    const std::string text = group_text(state_, list_.shown(), group);
    grid_.put(x + kFindingSize, y, cut_off(state_, text, area_.width - 15), style);
  }

  // The path is that of the first file.
  void draw_equal_heading(const FindingGroup& group, unsigned y) {
    unsigned x = area_.x + kFindingSigns + kFindingSize;
    const Finding& first = list_.shown().items[group.begin];
    if (!shows_columns()) {
      x = grid_.put(x, y, text::grouped(group.size()) + " copies: ");
      return draw_path(first, x, y);
    }
    x = put_at_right(x, y, text::grouped(group.size()), kCopies);
    grid_.put(x, y, "each " + bytes_text(state_, first.bytes));
    draw_path(first, x + kFindingDate + 2, y);
  }

  void draw_change(const Change& change, const Finding& item, unsigned y) {
    unsigned x = area_.x + kFindingSigns;
    const std::string text = text::signed_bytes(change.bytes(), state_.settings.units);
    x = put_at_right(x, y, text, kChange);
    if (shows_columns()) {
      grid_.put(x, y, text::signed_bar(change.bytes(), most_, kChangeSide, state_.settings.unicode),
                {.tone = Tone::bar});
      x += kChangeBar;
    }
    if (shows_sides()) {
      x = put_at_right(x, y, bytes_text(state_, change.before), kFindingSize);
      x = put_at_right(x, y, bytes_text(state_, change.after), kFindingSize);
    }
    const std::string_view word = change.kind == Change::Kind::created   ? "new: "
                                  : change.kind == Change::Kind::removed ? "gone: "
                                                                         : "";
    x = grid_.put(x, y, word);
    if (item.node != fs::kNoNode) return draw_path(item, x, y);
    grid_.put(x, y, fitted(state_, change.path, area_.x + area_.width - x));
  }

  void draw_equal(const Finding& item, unsigned y) {
    unsigned x = area_.x + kFindingSigns + kFindingSize;
    if (!shows_columns()) return draw_path(item, x, y);
    x += kCopies;
    grid_.put(x, y, date_text(state_.facts->tree().mtime(item.node), state_.facts->now()));
    draw_path(item, x + kFindingDate, y);
  }

  void draw_signs(const Finding& item, unsigned y) {
    const bool marked = state_.marks.has(item.node);
    const bool planned = state_.plan.has(item.node);
    if (!marked && !planned) return;
    const bool trash = state_.trash.count(item.node) > 0;
    grid_.put(area_.x + 1, y,
              marked  ? "*"
              : trash ? "t"
                      : "+",
              {.tone = marked ? Tone::marked : Tone::planned});
  }

  void draw_ruled(const Finding& item, FindingGroup::Kind kind, unsigned y) {
    const act::Candidates& found = list_.findings()->ruled->found;
    const bool skipped = kind == FindingGroup::Kind::skipped;
    const act::Rule* const rule =
        skipped ? found.skipped[item.detail].rule : found.items[item.detail].rule;
    unsigned x = area_.x + kFindingSigns;
    x = put_at_right(x, y, bytes_text(state_, item.bytes), kFindingSize);
    if (shows_columns()) {
      grid_.put(x, y, fitted(state_, rule->id, kRule - 2));
      x += kRule;
    }
    if (shows_age()) {
      const std::int64_t time = skipped ? fs::kUnknownTime : found.items[item.detail].newest;
      x = put_at_right(x, y, days_text(state_, time), kAge);
    }
    draw_path(item, x, y);
  }

  void draw_path(const Finding& item, unsigned x, unsigned y) {
    const fs::Tree& tree = state_.facts->tree();
    const bool marked = state_.marks.has(item.node);
    const Tone tone = marked                       ? Tone::marked
                      : state_.plan.has(item.node) ? Tone::planned
                                                   : tone_of(tree.kind(item.node));
    const std::string_view suffix = fs::kind_mark(tree, item.node);
    const unsigned room = area_.x + area_.width - x - static_cast<unsigned>(suffix.size());
    x = grid_.put(x, y, fitted(state_, path_below_top(state_, item.node), room), {.tone = tone});
    grid_.put(x, y, suffix, {.tone = tone});
  }

  const State& state_;
  const FindingList& list_;
  std::uint64_t most_ = 1;  // the largest change
  const Area area_;
  Grid& grid_;
};

}  // namespace

void draw_findings(const State& state, const Area& area, Grid& grid) {
  FindingTable(state, area, grid).draw();
}

std::string group_text(const State& state, const FindingRows& rows, const FindingGroup& group) {
  if (group.kind != FindingGroup::Kind::equal) {
    return std::string(meaning_of(group.kind)) + " (" + text::grouped(group.size()) + ")";
  }
  const Finding& first = rows.items[group.begin];
  return text::grouped(group.size()) + " copies, each " + bytes_text(state, first.bytes) + ": " +
         text::escaped(path_below_top(state, first.node), state.settings.unicode);
}

std::string rule_line(const State& state, const act::Candidate& candidate) {
  const auto shown = [&](const std::string& text) {
    return text::escaped(text, state.settings.unicode);
  };
  std::string text = std::string(act::to_string(candidate.cls)) + ", " + candidate.rule->id;
  if (!candidate.rebuild.empty()) text += ": " + shown(candidate.rebuild) + " makes it again";
  if (!candidate.command.empty()) text += ": " + shown(candidate.command) + " removes it";
  for (const std::string& path : candidate.evidence) {
    text += (&path == &candidate.evidence.front() ? "; evidence: " : ", ") + shown(path);
  }
  return text;
}

}  // namespace fathom::tui

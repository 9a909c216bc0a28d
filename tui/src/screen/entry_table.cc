// EntryTable: which columns there is room for, and the rows.

#include "screen/entry_table.h"

#include <algorithm>
#include <string_view>

#include "fathom/fs/kind_words.h"
#include "fathom/text/bar.h"
#include "fathom/text/number.h"
#include "model/what_if.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

// The columns of a row, from left to right: signs, size, exclusive, share, items, modified, owner,
// name. Each width includes the gap behind the column; 0: it is not shown.
struct Widths {
  static constexpr unsigned kSigns = 4;
  static constexpr unsigned kSize = 10;
  unsigned exclusive = 0;
  unsigned percent = 0;
  unsigned bar = 0;
  unsigned items = 0;
  unsigned modified = 0;
  unsigned owner = 0;
  unsigned name = 0;
};

constexpr unsigned kLeastName = 20;
constexpr unsigned kLeastPath = 36;
constexpr unsigned kPercent = 5;

// Drops columns from the right until the name has room: owner, modified, items, then the bar.
Widths widths_of(const State& state, unsigned width) {
  Columns columns = state.columns;
  if (width < kWidthForColumns) columns = {columns.exclusive, false, false, false, 0};
  Widths widths;
  widths.exclusive = columns.exclusive ? 10 : 0;
  widths.percent = (columns.share & 1) != 0 ? kPercent : 0;
  widths.bar = (columns.share & 2) != 0 ? (width >= 120 ? 21 : 11) : 0;
  // Searches list paths, and mostly files.
  const bool flat = state.view != View::tree;
  const unsigned least_name = flat ? kLeastPath : kLeastName;
  widths.items = columns.items && !flat ? 13 : 0;
  widths.modified = columns.modified ? 12 : 0;
  widths.owner = columns.owner ? 10 : 0;
  const auto room = [&] {
    const unsigned used = Widths::kSigns + Widths::kSize + widths.exclusive + widths.percent +
                          widths.bar + widths.items + widths.modified + widths.owner;
    return width > used ? width - used : 0;
  };
  for (unsigned* column : {&widths.owner, &widths.modified, &widths.items, &widths.bar,
                           &widths.percent, &widths.exclusive}) {
    if (room() >= least_name) break;
    *column = 0;
  }
  widths.name = room();
  return widths;
}

// What shares are of.
std::uint64_t whole_of(const State& state, fs::DirId place) {
  const std::uint64_t all = fs::bytes_of(state.facts->below(place), state.how.measure);
  return all - std::min(all, left_out_here(state).bytes);
}

class EntryTable {
 public:
  EntryTable(const State& state, const Area& area, Grid& grid)
      : state_(state),
        area_(area),
        grid_(grid),
        widths_(widths_of(state, area.width)),
        whole_(whole_of(state, list_place())) {}

  void draw() {
    draw_heading();
    const std::size_t first = state_.cursor().top;
    for (unsigned i = 0; i + 1 < area_.height; ++i) {
      const auto row = row_at(state_, first + i);
      if (!row) break;
      draw_row(*row, first + i, area_.y + 1 + i);
    }
    if (list_size(state_) == 0) draw_nothing();
  }

 private:
  // Shares are of this directory.
  [[nodiscard]] fs::DirId list_place() const {
    return state_.view == View::tree ? state_.place : state_.facts->top();
  }

  void draw_heading() {
    unsigned x = area_.x + Widths::kSigns;
    const Style style{.tone = Tone::strong};
    const auto right = [&](std::string_view title, unsigned width, unsigned gap) {
      if (width == 0) return;
      grid_.put(x, area_.y, text::right(title, width - gap), style);
      x += width;
    };
    const auto left = [&](std::string_view title, unsigned width) {
      if (width != 0) grid_.put(x, area_.y, title, style);
      x += width;
    };
    right(state_.how.measure == fs::Measure::disk ? "Size" : "Apparent", Widths::kSize, 2);
    right("Exclus.", widths_.exclusive, 2);
    left(widths_.bar > 0 ? "Share" : "   %", widths_.percent + widths_.bar);
    right("Items", widths_.items, 2);
    left("Modified", widths_.modified);
    left("Owner", widths_.owner);
    left(state_.view == View::tree ? "Name" : "Path", widths_.name);
  }

  void draw_nothing() {
    std::string text = "(empty)";
    if (state_.view == View::tree && state_.place != fs::kNoDir) {
      const std::string error = state_.facts->error_of(state_.facts->tree().node(state_.place));
      if (!error.empty()) text = "(this cannot be read: " + error + ")";
    }
    if (!state_.listing.text().empty() || state_.listing.condition() != nullptr ||
        state_.view == View::found) {
      text = "(nothing matches)";
    }
    if (state_.view == View::largest && state_.extras == nullptr) text = "(counting)";
    if (state_.progress.running && state_.view == View::tree) text = "(nothing found yet)";
    grid_.put(area_.x + Widths::kSigns, area_.y + 1,
              cut_off(state_, text, area_.width - Widths::kSigns));
  }

  [[nodiscard]] bool is_in_range(std::size_t index) const {
    if (!state_.anchor) return false;
    const auto [low, high] = std::minmax(*state_.anchor, state_.cursor().at);
    return low <= index && index <= high;
  }

  [[nodiscard]] bool left_out(const Listing::Row& row) const {
    return state_.view == View::tree && row.node != fs::kNoNode && state_.left_out.has(row.node);
  }

  void draw_row(const Listing::Row& row, std::size_t index, unsigned y) {
    const bool selected = index == state_.cursor().at;
    const bool planned = row.node != fs::kNoNode && state_.plan.has(row.node);
    const bool marked =
        is_in_range(index) || (row.node != fs::kNoNode && state_.marks.has(row.node));
    const char sign = sign_of(state_, row);
    grid_.put(area_.x, y, selected ? ">" : " ");
    grid_.put(area_.x + 1, y,
              marked          ? "*"
              : planned       ? (state_.trash.count(row.node) > 0 ? "t" : "+")
              : left_out(row) ? "-"
                              : " ",
              {.tone = marked    ? Tone::marked
                       : planned ? Tone::planned
                                 : Tone::plain});
    grid_.put(area_.x + 2, y, std::string(1, sign),
              {.tone = sign == '!' || sign == '.' ? Tone::warning : Tone::plain});
    draw_columns(row, y);
    if (marked || planned) {
      grid_.set_tone(name_x_, y, name_end_ - name_x_, marked ? Tone::marked : Tone::planned);
    }
    // The plan beside the list has the cursor while it has the keys.
    if (!selected || state_.layer == Layer::plan) return;
    grid_.set_reverse(area_.x, y, area_.width);
    grid_.cursor_x = area_.x;
    grid_.cursor_y = y;
  }

  void draw_columns(const Listing::Row& row, unsigned y) {
    unsigned x = area_.x + Widths::kSigns;
    const std::uint64_t bytes = bytes_of(state_, row);
    const bool known = row.excluded == nullptr;
    const bool counts = known && !left_out(row);
    put_right(x, y, known ? bytes_text(state_, bytes) : "", Widths::kSize, 2);
    put_right(x, y, exclusive_text(row), widths_.exclusive, 2);
    put_right(x, y, counts ? text::percent(bytes, whole_) : known ? "out" : "", widths_.percent, 1);
    if (widths_.bar != 0 && !counts) {
      x += widths_.bar;
    } else if (widths_.bar != 0) {
      const std::string bar = text::bar(bytes, std::max<std::uint64_t>(1, state_.listing.largest()),
                                        widths_.bar - 1, state_.settings.unicode);
      grid_.put(x, y, bar, {.tone = Tone::bar});
      x += widths_.bar;
    }
    put_right(x, y, items_text(row), widths_.items, 2);
    put_left(x, y, date_of(row), widths_.modified);
    put_left(x, y, owner_of(row), widths_.owner);
    draw_name(row, x, y);
  }

  void put_right(unsigned& x, unsigned y, std::string_view text, unsigned width, unsigned gap) {
    if (width == 0) return;
    grid_.put(x, y, text::right(text, width - gap));
    x += width;
  }

  void put_left(unsigned& x, unsigned y, const std::string& text, unsigned width) {
    if (width == 0) return;
    grid_.put(x, y, text);
    x += width;
  }

  [[nodiscard]] std::string exclusive_text(const Listing::Row& row) const {
    if (widths_.exclusive == 0 || row.excluded != nullptr) return "";
    if (state_.extras == nullptr || state_.extras->facts != state_.facts) return "?";
    const fs::Chosen entry{row.node, row.directory};
    const fs::Sizes sizes = row.directory != fs::kNoDir
                                ? state_.extras->exclusive.below(row.directory)
                                : file_exclusive(entry);
    return bytes_text(
        state_, state_.how.measure == fs::Measure::disk ? sizes.disk_bytes : sizes.apparent_bytes);
  }

  // A name of several frees nothing by itself.
  [[nodiscard]] fs::Sizes file_exclusive(const fs::Chosen& entry) const {
    const fs::Tree& tree = state_.facts->tree();
    if (tree.links(entry.node) > 1) return {};
    return {tree.blocks(entry.node) * fs::kBlockBytes, tree.size(entry.node)};
  }

  [[nodiscard]] std::string items_text(const Listing::Row& row) const {
    if (row.directory == fs::kNoDir) return "";
    // Without the directory itself.
    const std::uint64_t entries = state_.facts->totals().below(row.directory).entries();
    return text::grouped(entries == 0 ? 0 : entries - 1);
  }

  [[nodiscard]] std::string date_of(const Listing::Row& row) const {
    if (row.excluded != nullptr) return "";
    const std::int64_t time = row.directory != fs::kNoDir
                                  ? state_.facts->newest().below(row.directory)
                                  : state_.facts->tree().mtime(row.node);
    return date_text(time, state_.facts->now());
  }

  [[nodiscard]] std::string owner_of(const Listing::Row& row) const {
    if (widths_.owner == 0 || row.excluded != nullptr) return "";
    return fitted(state_, state_.facts->owner(state_.facts->tree().uid(row.node)),
                  widths_.owner - 2);
  }

  void draw_name(const Listing::Row& row, unsigned x, unsigned y) {
    const fs::Tree& tree = state_.facts->tree();
    name_x_ = name_end_ = x;
    if (widths_.name < 2) return;
    if (row.excluded != nullptr) {
      name_end_ = grid_.put(x, y, fitted(state_, row.excluded->name, widths_.name));
      return;
    }
    const std::string name = state_.view == View::tree ? std::string(tree.name(row.node))
                                                       : path_below_top(state_, row.node);
    const std::string_view suffix = name.ends_with('/') ? "" : fs::kind_mark(tree, row.node);
    const auto room = widths_.name - static_cast<unsigned>(suffix.size());
    const Style style{.tone = tone_of(tree.kind(row.node))};
    name_end_ = grid_.put(x, y, fitted(state_, name, room), style);
    name_end_ = grid_.put(name_end_, y, suffix, style);
    draw_rule(row.node, x + widths_.name, y);
  }

  // Behind the name, if there is room.
  void draw_rule(fs::NodeId node, unsigned end, unsigned y) {
    const act::Candidate* const candidate = ruled(state_, node);
    if (candidate == nullptr) return;
    const std::string text =
        std::string(act::to_string(candidate->cls)) + ": " + candidate->rule->id;
    constexpr unsigned kGap = 3;
    if (name_end_ + kGap + 4 > end) return;
    grid_.put(name_end_ + kGap, y, cut_off(state_, text, end - name_end_ - kGap));
  }

  const State& state_;
  const Area area_;
  Grid& grid_;
  const Widths widths_;
  const std::uint64_t whole_;
  unsigned name_x_ = 0;  // of the row that is being drawn
  unsigned name_end_ = 0;
};

}  // namespace

void draw_entries(const State& state, const Area& area, Grid& grid) {
  EntryTable(state, area, grid).draw();
}

char sign_of(const State& state, const Listing::Row& row) {
  if (row.excluded != nullptr) {
    return row.excluded->why == fs::Excluded::other_filesystem ? '>' : '<';
  }
  const fs::Tree& tree = state.facts->tree();
  const std::uint8_t flags = tree.flags(row.node);
  if (row.directory != fs::kNoDir) {
    if ((flags & fs::kIncomplete) != 0) return '!';
    if (state.facts->totals().lower_bound(row.directory)) return '.';
    if ((flags & fs::kRepeated) != 0) return 'H';
    const bool empty = state.facts->totals().below(row.directory).entries() <= 1;
    return empty && (flags & fs::kHasOmittedChildren) == 0 ? 'e' : ' ';
  }
  if (tree.kind(row.node) == fs::Kind::symlink) return '@';
  return tree.links(row.node) > 1 ? 'H' : ' ';
}

std::string path_below_top(const State& state, fs::NodeId node) {
  std::string path = state.facts->tree().path(node);
  const fs::DirId top = state.facts->top();
  if (top == fs::kNoDir) return short_path(state, path);
  const std::string above = state.facts->path(top);
  if (path.size() <= above.size() || !path.starts_with(above)) return path;
  return path.substr(above.size() + (above.ends_with('/') ? 0 : 1));
}

}  // namespace fathom::tui

// HelpPanel: a list, in two columns where there is room.

#include "screen/help_panel.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "screen/words.h"

namespace fathom::tui {

namespace {

struct HelpLine {
  std::string_view keys;  // empty: the text is a heading, or nothing
  std::string_view text;
};

constexpr HelpLine kHelp[] = {
    {"", "Move"},
    {"j k, arrows", "one row; Ctrl-D Ctrl-U half a page"},
    {"g G, Home End", "the first, the last row"},
    {"l Enter Right", "open a directory; about a file, info"},
    {"h Left Backspace", "the directory above"},
    {"1 .. 8", "the views: Tree, Largest, Types, Ages, ..."},
    {"/", "filter by name, or by a pattern: *.log"},
    {"//", "the same in the whole tree"},
    {":", "select by a condition: size > 1G and age > 90d"},
    {"::", "the same in the whole tree"},
    {"Esc", "close one thing; never quits"},
    {"", ""},
    {"", "Sort and show"},
    {"s n C M", "by size, name, items, time; again: reverse"},
    {"t", "directories first"},
    {"a", "apparent sizes, or those on disk"},
    {"u", "column of exclusive bytes: freed if deleted"},
    {"c m o w", "columns of items, times, owners; bars"},
    {"T", "a map, on screens of 150 columns or more"},
    {"e", "hidden and excluded entries"},
    {"I", "leave this out of the sums here; again: count it"},
    {"", ""},
    {"", "Mark and plan"},
    {"Space x", "mark, and move down; Esc clears all marks"},
    {"V", "mark a range: V at one end, V at the other"},
    {"*", "invert the marks of this list"},
    {"X", "mark what the rules of fathom clean call safe"},
    {"d", "what is marked, or this, into the plan; again: out"},
    {"D", "the same, for the trash instead of the quarantine"},
    {"P Tab", "the plan: x takes out, Enter shows, i info"},
    {"W", "write the plan, or the marks, to a file"},
    {"A", "in the plan: move it, or delete it for good; asks"},
    {"U", "move back what was applied last; again: before that"},
    {"", ""},
    {"", "Else"},
    {"i", "info about an entry; PgDn PgUp scroll it"},
    {"y", "copy the path to the clipboard"},
    {"b", "a shell in this directory"},
    {"r", "scan this directory, or search, again"},
    {"q Q", "quit; Q prints the directory"},
    {"Ctrl-C", "end a scan or search and keep its part; then, quit"},
    {"", ""},
    {"", "Signs before a size"},
    {"*  +  t", "marked; in the plan, there for the trash"},
    {"!  .", "could not be read; something in it could not"},
    {"-", "left out of the sums of this directory"},
    {"H  @", "has further names; a symbolic link"},
    {"e", "an empty directory"},
    {"<  >", "excluded; on another filesystem"},
    {"", ""},
    {"", "Nothing that exists changes without A or U, and y or delete."},
};

constexpr unsigned kKeyWidth = 19;
constexpr unsigned kColumnWidth = 72;

struct ShownLine {
  std::string_view keys;
  std::string text;
  bool heading = false;
};

// In as many lines as they need in a column of that width.
std::vector<ShownLine> shown_lines(unsigned width) {
  std::vector<ShownLine> lines;
  for (const HelpLine& line : kHelp) {
    const bool heading = line.keys.empty();
    std::string_view keys = line.keys;
    const unsigned room = width - (heading ? 2 : 2 + kKeyWidth);
    for (std::string& text : text_lines(std::string(line.text), room)) {
      lines.push_back({std::exchange(keys, ""), std::move(text), heading});
    }
  }
  return lines;
}

struct HelpPages {
  std::vector<ShownLine> lines;
  std::size_t columns = 1;
  std::size_t rows = 1;

  [[nodiscard]] std::size_t hidden() const {
    return lines.size() - std::min(lines.size(), rows * columns);
  }
};

HelpPages pages_of(unsigned width, std::size_t rows) {
  const std::size_t columns = width >= 2 * kColumnWidth ? 2 : 1;
  return {shown_lines(columns == 2 ? kColumnWidth : width), columns, rows};
}

}  // namespace

std::size_t hidden_help_lines(const State& state) {
  return pages_of(std::min(state.width, kMostWidth), list_rows(state)).hidden();
}

void draw_help(const State& state, const Area& area, Grid& grid) {
  const HelpPages pages = pages_of(area.width, area.height - 1);
  const std::size_t first = std::min(state.scroll, pages.hidden());
  const std::size_t shown = std::min(pages.lines.size() - first, pages.rows * pages.columns);
  grid.put(area.x + 2, area.y, "Keys", {.tone = Tone::strong});
  for (std::size_t i = 0; i < shown; ++i) {
    const ShownLine& line = pages.lines[first + i];
    const unsigned x = area.x + 2 + (i >= pages.rows ? kColumnWidth : 0);
    const unsigned y = area.y + 1 + static_cast<unsigned>(i % pages.rows);
    if (line.heading) {
      grid.put(x, y, line.text, {.tone = Tone::strong});
    } else {
      grid.put(x + 2, y, line.keys);
      grid.put(x + kKeyWidth, y, line.text);
    }
  }
  grid.cursor_x = area.x;
  grid.cursor_y = area.y;
}

}  // namespace fathom::tui

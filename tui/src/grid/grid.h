// Grid: what a screen shows, as cells. Pure data, so that tests compare it with text.
//
//   Grid grid(80, 24);
//   grid.put(0, 0, "1 Tree", {.tone = Tone::strong});

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::tui {

enum class Tone : std::uint8_t {
  plain,
  strong,  // headings
  bar,     // bars of shares
  directory,
  symlink,
  other,  // a special file
  warning,
  marked,
  planned,
};

struct Style {
  Tone tone = Tone::plain;
  bool reverse = false;  // of the selected row, also without colour

  friend bool operator==(const Style&, const Style&) = default;
};

struct Cell {
  std::string text = " ";  // one character with its marks; empty: the right half of a wide one
  Style style;

  friend bool operator==(const Cell&, const Cell&) = default;
};

class Grid {
 public:
  Grid() = default;
  Grid(unsigned width, unsigned height)
      : width_(width), height_(height), cells_(std::size_t{width} * height) {}

  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned height() const { return height_; }
  [[nodiscard]] const Cell& at(unsigned x, unsigned y) const {
    return cells_[std::size_t{y} * width_ + x];
  }

  // Writes printable text, as Label::text() is, from left to right; what does not fit is cut off.
  // Returns the column after it.
  unsigned put(unsigned x, unsigned y, std::string_view text, Style style = {});

  // Selects part of a row: in one style, which can be read in any terminal.
  void set_reverse(unsigned x, unsigned y, unsigned columns);
  // Changes the tone of part of a row.
  void set_tone(unsigned x, unsigned y, unsigned columns, Tone tone);

  // Blanks part of a row.
  void clear(unsigned x, unsigned y, unsigned columns);

  // Where the cursor of the terminal is: on the selected row, for screen readers.
  unsigned cursor_x = 0;
  unsigned cursor_y = 0;
  bool cursor_visible = false;  // in a prompt

 private:
  Cell& cell(unsigned x, unsigned y) { return cells_[std::size_t{y} * width_ + x]; }

  unsigned width_ = 0;
  unsigned height_ = 0;
  std::vector<Cell> cells_;
};

// The rows as lines of text, without blanks at their ends.
[[nodiscard]] std::string text_of(const Grid& grid);

// The styles as lines of letters: one for each tone, "." for plain, in upper case if reversed ("R"
// for plain).
[[nodiscard]] std::string styles_of(const Grid& grid);

}  // namespace fathom::tui

// Frame: writes runs of changed cells.

#include "grid/frame.h"

#include <cstddef>

namespace fathom::tui {

namespace {

enum Color : std::size_t { kRed = 1, kGreen, kYellow, kBlue, kMagenta, kCyan };

struct Looks {
  bool bold = false;
  std::size_t color = 0;  // 0: the default of the terminal
};

// Only the basic colours, which every user can configure; the background stays the default one.
Looks looks_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return {};
    case Tone::strong:
      return {.bold = true};
    case Tone::bar:
      return {.color = kCyan};
    case Tone::directory:
      return {.bold = true, .color = kBlue};
    case Tone::symlink:
      return {.color = kMagenta};
    case Tone::other:
      return {.color = kYellow};
    case Tone::warning:
      return {.bold = true, .color = kYellow};
    case Tone::marked:
      return {.bold = true, .color = kGreen};
    case Tone::planned:
      return {.bold = true, .color = kRed};
  }
  return {};
}

bool is_ascii(const std::string& text) {
  return text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80;
}

class Writer {
 public:
  Writer(const Grid& before, const Grid& now, const Capabilities& capabilities)
      : before_(before), now_(now), can_(capabilities) {}

  std::string written() {
    whole_ = before_.width() != now_.width() || before_.height() != now_.height();
    if (whole_) text_ += can_.reset + can_.clear;
    for (unsigned y = 0; y < now_.height(); ++y) write_row(y);
    const bool moved = whole_ || !text_.empty() || before_.cursor_x != now_.cursor_x ||
                       before_.cursor_y != now_.cursor_y ||
                       before_.cursor_visible != now_.cursor_visible;
    if (!moved) return "";
    set_style({});
    if (whole_ || before_.cursor_visible != now_.cursor_visible) {
      text_ += now_.cursor_visible ? can_.show_cursor : can_.hide_cursor;
    }
    text_ += can_.move(now_.cursor_x, now_.cursor_y);
    return can_.begin_update + text_ + can_.end_update;
  }

 private:
  [[nodiscard]] bool changed(unsigned x, unsigned y) const {
    static const Cell blank;
    return now_.at(x, y) != (whole_ ? blank : before_.at(x, y));
  }

  // The column behind the last cell of the row that is not blank.
  [[nodiscard]] unsigned end_of(const Grid& grid, unsigned y) const {
    static const Cell blank;
    unsigned end = grid.width();
    while (end > 0 && grid.at(end - 1, y) == blank) --end;
    return end;
  }

  void write_row(unsigned y) {
    const unsigned end = end_of(now_, y);
    placed_ = in_run_ = false;
    unsigned x = 0;
    for (; x < end; ++x) {
      if (changed(x, y)) write_cell(x, y);
    }
    const unsigned old = whole_ ? 0 : end_of(before_, y);
    if (old <= end) return;
    place(end, y);
    set_style({});
    if (can_.clear_to_end_of_line.empty()) {
      text_.append(old - end, ' ');
    } else {
      text_ += can_.clear_to_end_of_line;
    }
  }

  // A changed right half means that the whole character is written.
  void write_cell(unsigned x, unsigned y) {
    if (now_.at(x, y).text.empty()) {
      if (x == 0 || ((placed_ || in_run_) && at_x_ > x)) return;
      --x;
    }
    const Cell& cell = now_.at(x, y);
    // A run of other characters is written as one, and only what follows it is placed again.
    const bool ascii = is_ascii(cell.text);
    if (ascii || !continues_run(x)) place(x, y);
    set_style(cell.style);
    text_ += cell.text;
    placed_ = ascii;
    in_run_ = !ascii;
    at_x_ = x + 1;
    if (!placed_ && x + 1 < now_.width() && now_.at(x + 1, y).text.empty()) at_x_ = x + 2;
  }

  [[nodiscard]] bool continues_run(unsigned x) const { return in_run_ && at_x_ == x; }

  // A few unchanged cells take fewer bytes than a move.
  void place(unsigned x, unsigned y) {
    constexpr unsigned kNear = 5;
    if (placed_ && at_x_ == x) return;
    if (placed_ && at_x_ < x && x - at_x_ <= kNear && can_repeat(at_x_, x, y)) {
      for (; at_x_ < x; ++at_x_) text_ += now_.at(at_x_, y).text;
      return;
    }
    text_ += can_.move(x, y);
    placed_ = true;
    in_run_ = false;
    at_x_ = x;
  }

  [[nodiscard]] bool can_repeat(unsigned x, unsigned end, unsigned y) const {
    for (; x < end; ++x) {
      const Cell& cell = now_.at(x, y);
      if (!is_ascii(cell.text) || cell.style != style_) return false;
    }
    return true;
  }

  void set_style(Style style) {
    if (style == style_) return;
    if (style_ != Style{}) text_ += can_.reset;
    style_ = style;
    const Looks looks = looks_of(style.tone);
    if (looks.bold) text_ += can_.bold;
    if (looks.color != 0) text_ += can_.foreground[looks.color];
    if (style.reverse) text_ += can_.reverse;
  }

  const Grid& before_;
  const Grid& now_;
  const Capabilities& can_;
  std::string text_;
  Style style_;
  bool whole_ = false;
  bool in_run_ = false;  // the last cell was not ASCII, and ended before at_x_ as far as we know
  bool placed_ = false;  // the cursor is at column at_x_ of the row that is being written
  unsigned at_x_ = 0;
};

}  // namespace

std::string standard_move(unsigned x, unsigned y) {
  return "\x1b[" + std::to_string(y + 1) + ';' + std::to_string(x + 1) + 'H';
}

std::string frame(const Grid& before, const Grid& now, const Capabilities& capabilities) {
  return Writer(before, now, capabilities).written();
}

}  // namespace fathom::tui

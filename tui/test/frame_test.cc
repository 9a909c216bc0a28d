// Tests of the bytes of a frame, shown by a terminal that knows only what a frame uses.

#include "grid/frame.h"

#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <string>

#include "fathom/text/pieces.h"
#include "model/update.h"
#include "sample.h"
#include "screen/screen.h"

namespace fathom::tui {
namespace {

// Shows the text of frames; styles are ignored, except that they must end.
class Screen {
 public:
  Screen(unsigned width, unsigned height) : grid_(width, height) {}

  void show(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.starts_with('\x1b')) {
        bytes.remove_prefix(sequence(bytes));
        continue;
      }
      const std::size_t end = std::min(bytes.size(), bytes.find('\x1b'));
      for (text::Pieces rest(bytes.substr(0, end)); const auto piece = rest.next();) {
        grid_.put(x_, y_, piece->bytes);
        x_ += piece->width;
      }
      bytes.remove_prefix(end);
    }
  }

  [[nodiscard]] std::string text() const { return text_of(grid_); }
  [[nodiscard]] bool styled() const { return styled_; }

 private:
  // Returns the length of the sequence.
  std::size_t sequence(std::string_view bytes) {
    std::size_t end = 2;
    while (std::isalpha(static_cast<unsigned char>(bytes[end])) == 0) ++end;
    const std::string parameters(bytes.substr(2, end - 2));
    switch (bytes[end]) {
      case 'H':
        y_ = x_ = 0;
        if (!parameters.empty()) {
          y_ = static_cast<unsigned>(std::stoul(parameters)) - 1;
          x_ = static_cast<unsigned>(std::stoul(parameters.substr(parameters.find(';') + 1))) - 1;
        }
        break;
      case 'J':
        grid_ = Grid(grid_.width(), grid_.height());
        break;
      case 'K':
        grid_.clear(x_, y_, grid_.width());
        break;
      case 'm':
        styled_ = parameters != "0";
        break;
      default:
        break;
    }
    return end + 1;
  }

  Grid grid_;
  unsigned x_ = 0;
  unsigned y_ = 0;
  bool styled_ = false;
};

Capabilities plain_terminal() {
  Capabilities can;
  can.move = standard_move;
  for (std::size_t i = 0; i < can.foreground.size(); ++i) {
    can.foreground[i] = "\x1b[3" + std::to_string(i) + "m";
  }
  return can;
}

TEST(Frame, OfAnUnchangedScreenIsEmpty) {
  const Grid grid = draw(sample_state());
  EXPECT_EQ(frame(grid, grid, plain_terminal()), "");
}

TEST(Frame, MovingTheCursorTakesFewBytes) {
  State state = sample_state();
  const Grid before = draw(state);
  type(state, "j");
  EXPECT_LT(frame(before, draw(state), plain_terminal()).size(), 400U);
}

// Random keys, each followed by a frame: the terminal always shows what was drawn.
TEST(Frame, ShowsWhateverWasDrawn) {
  constexpr std::string_view kKeys = "jkjkGgl h12345snCMtaeumcow Vd*Pix?/";
  for (const bool with_erase : {true, false}) {
    Capabilities can = plain_terminal();
    if (!with_erase) can.clear_to_end_of_line.clear();
    std::minstd_rand random(7);
    State state = sample_state();
    Screen screen(80, 24);
    Grid shown;
    for (int i = 0; i < 600; ++i) {
      const Grid now = draw(state);
      screen.show(frame(shown, now, can));
      ASSERT_EQ(screen.text(), text_of(now)) << i;
      EXPECT_FALSE(screen.styled());
      shown = now;
      type(state, random() % 9 == 0 ? "<Esc>" : std::string(1, kKeys[random() % kKeys.size()]));
    }
  }
}

}  // namespace
}  // namespace fathom::tui

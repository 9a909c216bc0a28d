// Key: a key of the keyboard, as a terminal reports it.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::tui {

struct Key {
  enum class Kind : std::uint8_t {
    text,  // a character
    enter,
    escape,
    tab,
    backspace,
    del,
    up,
    down,
    left,
    right,
    home,
    end,
    page_up,
    page_down,
    control,  // Ctrl and the letter in text
    click,    // the first button of the mouse, at x and y
    wheel_up,
    wheel_down,
    paste_begin,  // what comes until paste_end was pasted
    paste_end,
    none,  // a key that has no meaning here
  };

  Kind kind = Kind::none;
  std::string text;     // bytes
  std::uint16_t x = 0;  // of the mouse: the column and the row, from 0
  std::uint16_t y = 0;

  friend bool operator==(const Key&, const Key&) = default;
};

}  // namespace fathom::tui

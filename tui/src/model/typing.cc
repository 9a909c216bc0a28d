// Typing: tables of keys.

#include "model/typing.h"

#include <algorithm>
#include <limits>

namespace fathom::tui {

namespace {

using Kind = Key::Kind;

constexpr std::size_t kWheel = 3;  // rows

// Removes the last character, which may have several bytes.
void erase_last(std::string& text) {
  while (!text.empty()) {
    const auto last = static_cast<unsigned char>(text.back());
    text.pop_back();
    if ((last & 0xc0) != 0x80) return;
  }
}

}  // namespace

bool is_text(const Key& key, std::string_view text) {
  return key.kind == Kind::text && key.text == text;
}

bool is_control(const Key& key, std::string_view letter) {
  return key.kind == Kind::control && key.text == letter;
}

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
    case Kind::wheel_up:
      return up(kWheel);
    case Kind::wheel_down:
      return down(kWheel);
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

std::optional<std::size_t> paged(const Key& key, std::size_t at, std::size_t rows) {
  const bool is_for_it = key.kind == Kind::page_up || key.kind == Kind::page_down ||
                         key.kind == Kind::wheel_up || key.kind == Kind::wheel_down ||
                         is_control(key, "u") || is_control(key, "d");
  if (!is_for_it) return std::nullopt;
  return moved(key, at, std::numeric_limits<std::size_t>::max(), rows);
}

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

}  // namespace fathom::tui

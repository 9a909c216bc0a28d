// Grid: placing text in cells.

#include "grid/grid.h"

#include <algorithm>

#include "fathom/text/pieces.h"

namespace fathom::tui {

namespace {

char letter_of(Style style) {
  constexpr std::string_view kLetters = ".sbdloWmp";
  constexpr std::string_view kReversed = "RSBDLOXMP";
  const auto tone = static_cast<std::size_t>(style.tone);
  return style.reverse ? kReversed[tone] : kLetters[tone];
}

}  // namespace

unsigned Grid::put(unsigned x, unsigned y, std::string_view text, Style style) {
  if (y >= height_) return x;
  for (text::Pieces rest(text); const auto piece = rest.next();) {
    if (x + piece->width > width_) return width_;
    cell(x, y) = {std::string(piece->bytes), style};
    if (piece->width == 2) cell(x + 1, y) = {"", style};
    x += piece->width;
  }
  return x;
}

void Grid::set_reverse(unsigned x, unsigned y, unsigned columns) {
  for (unsigned end = std::min(width_, x + columns); x < end; ++x)
    cell(x, y).style = {.reverse = true};
}

void Grid::set_tone(unsigned x, unsigned y, unsigned columns, Tone tone) {
  for (unsigned end = std::min(width_, x + columns); x < end; ++x) cell(x, y).style.tone = tone;
}

void Grid::clear(unsigned x, unsigned y, unsigned columns) {
  if (y >= height_) return;
  for (unsigned end = std::min(width_, x + columns); x < end; ++x) cell(x, y) = {};
}

std::string text_of(const Grid& grid) {
  std::string text;
  for (unsigned y = 0; y < grid.height(); ++y) {
    std::string line;
    for (unsigned x = 0; x < grid.width(); ++x) line += grid.at(x, y).text;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string styles_of(const Grid& grid) {
  std::string text;
  for (unsigned y = 0; y < grid.height(); ++y) {
    std::string line;
    for (unsigned x = 0; x < grid.width(); ++x) line += letter_of(grid.at(x, y).style);
    line.erase(line.find_last_not_of('.') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace fathom::tui

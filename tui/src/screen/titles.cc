// Titles: all names, or the numbers and one name.

#include "screen/titles.h"

#include <array>
#include <string_view>

#include "screen/words.h"

namespace fathom::tui {

namespace {

constexpr std::array<std::string_view, 8> kTitles = {"1 Tree",   "2 Largest", "3 Types", "4 Ages",
                                                     "5 Owners", "6 Clean",   "7 Grew",  "8 Dups"};

std::string_view sort_word(SortKey key) {
  switch (key) {
    case SortKey::size:
      return "size";
    case SortKey::name:
      return "name";
    case SortKey::items:
      return "items";
    case SortKey::modified:
      return "time";
  }
  return "";
}

// What the list is filtered and, if there is room, sorted by.
std::string order_text(const State& state, bool sorted) {
  const std::string& filter = filter_text(state);
  std::string narrowed = filter.empty() ? "" : '/' + fitted(state, filter, 12);
  if (!lists_entries(state.view)) return narrowed;
  std::vector<std::string> parts;
  const auto& condition = state.listing.condition();
  if (condition != nullptr) parts.push_back(": " + fitted(state, condition->text, 24));
  if (!narrowed.empty()) parts.push_back(std::move(narrowed));
  // A v points down, to smaller ones; names are sorted upwards unless they are reversed.
  const bool down = (state.how.key == SortKey::name) == state.how.reverse;
  if (sorted) parts.push_back(std::string(sort_word(state.how.key)) + (down ? " v" : " ^"));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "   ") + part;
  return text;
}

std::vector<Title> titles(const State& state, bool whole) {
  std::vector<Title> made;
  unsigned x = 1;
  for (std::size_t i = 0; i < kTitles.size(); ++i) {
    const auto view = static_cast<View>(i);
    std::string text(kTitles[i]);
    if (!whole && view != state.view) text.resize(1);
    if (view == state.view) text = '[' + text + ']';
    made.push_back({view, x, text});
    x += static_cast<unsigned>(text.size()) + 1;
  }
  return made;
}

unsigned end_of(const std::vector<Title>& made) {
  return made.back().x + static_cast<unsigned>(made.back().text.size());
}

}  // namespace

std::vector<Title> titles_of(const State& state, unsigned width) {
  std::vector<Title> whole = titles(state, true);
  const unsigned order = columns_of(order_text(state, true));
  const unsigned needed = end_of(whole) + (order == 0 ? 0 : order + 2);
  return needed <= width ? whole : titles(state, false);
}

void draw_titles(const State& state, Grid& grid) {
  const std::vector<Title> made = titles_of(state, grid.width());
  for (const Title& title : made) {
    const bool open = title.view == state.view;
    grid.put(title.x, 1, title.text, {.tone = open ? Tone::strong : Tone::plain});
  }
  const unsigned room = grid.width() - end_of(made) - 2;
  std::string order = order_text(state, true);
  if (columns_of(order) > room) order = cut_off(state, order_text(state, false), room);
  grid.put(grid.width() - columns_of(order) - 1, 1, order);
}

}  // namespace fathom::tui

// MapPanel: halves the area again and again, so that each half has about half of the bytes.

#include "screen/map_panel.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fathom/fs/kind_words.h"
#include "fathom/text/label.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

// Boxes that share an area.
struct MapPart {
  std::size_t begin;
  std::size_t end;
  Area area;
};

class MapDivision {
 public:
  explicit MapDivision(const std::vector<MapBox>& boxes) : boxes_(boxes) {}

  // Calls place(box, area) for each box. The title is in the first row of the area.
  template <class Place>
  void place(const Area& area, Place place) const {
    if (boxes_.empty() || area.height < 3) return;
    std::vector<MapPart> parts = {
        {0, boxes_.size(), {area.x, area.y + 1, area.width, area.height - 1}}};
    while (!parts.empty()) {
      const MapPart part = parts.back();
      parts.pop_back();
      if (part.end - part.begin == 1) {
        place(boxes_[part.begin], part.area);
      } else {
        divide(part, parts);
      }
    }
  }

 private:
  [[nodiscard]] double sum(std::size_t begin, std::size_t end) const {
    double bytes = 0;
    for (std::size_t i = begin; i < end; ++i) bytes += static_cast<double>(boxes_[i].bytes);
    return bytes;
  }

  // Where the first half ends: with as many boxes as come closest to half of the bytes.
  [[nodiscard]] std::size_t middle(const MapPart& part, double whole) const {
    std::size_t at = part.begin + 1;
    double before = static_cast<double>(boxes_[part.begin].bytes);
    while (at + 1 < part.end && before + static_cast<double>(boxes_[at].bytes) / 2 < whole / 2) {
      before += static_cast<double>(boxes_[at++].bytes);
    }
    return at;
  }

  // A cell is twice as high as it is wide. What would have less than a cell is left out.
  void divide(const MapPart& part, std::vector<MapPart>& parts) const {
    const double whole = sum(part.begin, part.end);
    const std::size_t at = middle(part, whole);
    const double share = whole > 0 ? sum(part.begin, at) / whole : 1;
    Area first = part.area;
    Area second = part.area;
    const bool across = part.area.width >= 2 * part.area.height;
    unsigned& first_side = across ? first.width : first.height;
    unsigned& second_side = across ? second.width : second.height;
    first_side = static_cast<unsigned>(share * first_side + 0.5);
    second_side -= first_side;
    (across ? second.x : second.y) += first_side;
    if (second_side > 0) parts.push_back({at, part.end, second});
    if (first_side > 0) parts.push_back({part.begin, at, first});
  }

  const std::vector<MapBox>& boxes_;
};

class MapPanel {
 public:
  MapPanel(const State& state, Grid& grid) : state_(state), grid_(grid) {
    const auto row = row_at(state, state.cursor().at);
    if (row) selected_ = row->node;
  }

  void draw(const Area& area) {
    grid_.put(area.x + 1, area.y, "Map", {.tone = Tone::strong});
    MapDivision(state_.map.boxes).place(area, [this](const MapBox& box, const Area& place) {
      draw_box(box, place);
    });
  }

 private:
  // The name is in the upper left corner, and there are lines to the right and below.
  void draw_box(const MapBox& box, const Area& area) {
    const Frames& frame = frames_of(state_);
    const unsigned right = area.x + area.width - 1;
    const unsigned bottom = area.y + area.height - 1;
    for (unsigned y = area.y; y < bottom; ++y) grid_.put(right, y, frame.down);
    for (unsigned x = area.x; x < right; ++x) grid_.put(x, bottom, frame.across);
    grid_.put(right, bottom, frame.bottom_right);
    if (area.width < 5 || area.height < 2) return;
    const unsigned room = area.width - 2;
    const bool known = box.node != fs::kNoNode;
    const fs::Tree& tree = state_.facts->tree();
    const bool planned = known && state_.plan.has(box.node);
    const Tone tone = planned ? Tone::planned : known ? tone_of(tree.kind(box.node)) : Tone::plain;
    const std::string name =
        known ? std::string(tree.name(box.node)) : std::string("(smaller ones)");
    grid_.put(area.x, area.y, fitted(state_, name, room), {.tone = tone});
    const std::string size = bytes_text(state_, box.bytes);
    if (area.height > 2 && size.size() <= room) grid_.put(area.x, area.y + 1, size);
    if (!known || box.node != selected_) return;
    for (unsigned y = area.y; y < bottom; ++y) grid_.set_reverse(area.x, y, area.width - 1);
  }

  const State& state_;
  Grid& grid_;
  fs::NodeId selected_ = fs::kNoNode;
};

}  // namespace

void draw_map(const State& state, const Area& area, Grid& grid) {
  MapPanel(state, grid).draw(area);
}

fs::NodeId map_entry_at(const State& state, const Area& area, unsigned x, unsigned y) {
  fs::NodeId found = fs::kNoNode;
  MapDivision(state.map.boxes).place(area, [&](const MapBox& box, const Area& place) {
    const bool inside =
        x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height;
    if (inside) found = box.node;
  });
  return found;
}

}  // namespace fathom::tui

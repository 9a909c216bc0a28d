// ChosenPlaces: finds the places, and sorts them.

#include "api/chosen_places.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fathom/base/path.h"

namespace fathom::web {

namespace {

// A slash comes before all other bytes, so that the contents of a directory follow it at once.
bool less_by_names(const ChosenPlace& a, const ChosenPlace& b) {
  const auto rank = [](char byte) {
    return byte == '/' ? 0 : 1 + static_cast<unsigned char>(byte);
  };
  return std::lexicographical_compare(
      a.path.begin(), a.path.end(), b.path.begin(), b.path.end(),
      [&](char left, char right) { return rank(left) < rank(right); });
}

}  // namespace

ChosenPlaces::ChosenPlaces(const Snapshot& snapshot, std::vector<std::string> paths, Inner inner) {
  NameIndex names;
  std::vector<ChosenPlace> found;
  for (std::string& path : paths) {
    const std::optional<Place> place = snapshot.find(path, &names);
    if (place && !place->above_roots()) {
      found.push_back({snapshot.path(*place), *place});
    } else {
      unknown_.push_back(std::move(path));
    }
  }
  std::sort(found.begin(), found.end(), less_by_names);
  for (ChosenPlace& one : found) {
    if (!places_.empty()) {
      const std::string& last = places_.back().path;
      if (inner == Inner::dropped ? base::is_at_or_below(one.path, last) : one.path == last) {
        continue;
      }
    }
    places_.push_back(std::move(one));
  }
  std::sort(unknown_.begin(), unknown_.end());
  unknown_.erase(std::unique(unknown_.begin(), unknown_.end()), unknown_.end());
}

}  // namespace fathom::web

// ChosenPlaces: the entries that a request names by their paths, each with everything below it.
//
// Directories on the way are indexed by name, so that many paths in a large directory take no
// longer than reading it once.
//
//   const ChosenPlaces chosen(snapshot, paths, ChosenPlaces::Inner::dropped);
//   for (const ChosenPlace& one : chosen.places()) ...

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/snapshot.h"

namespace fathom::web {

struct ChosenPlace {
  std::string path;  // as Snapshot::path() writes it
  Place place;
};

class ChosenPlaces {
 public:
  // What happens to entries inside another chosen one, which are part of that. A plan needs them,
  // because a root is refused, and what is in it is not.
  enum class Inner : std::uint8_t { dropped, kept };

  ChosenPlaces(const Snapshot& snapshot, std::vector<std::string> paths, Inner inner);

  // By path, each once: a directory comes directly before what would be in it.
  [[nodiscard]] const std::vector<ChosenPlace>& places() const { return places_; }
  // Paths that are not in the scan, and the place above several roots; each once.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  std::vector<ChosenPlace> places_;
  std::vector<std::string> unknown_;
};

}  // namespace fathom::web

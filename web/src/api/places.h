// places: what can be asked of any place of a snapshot, be it a directory, an entry that is none,
// or above the roots.

#pragma once

#include <cstdint>

#include "api/snapshot.h"
#include "fathom/fs/totals.h"

namespace fathom::web {

// With all that is below it; nothing for what is counted at another path.
[[nodiscard]] fs::Counts counts_of(const Snapshot& snapshot, Place place);

// Whether something at or below it could not be read, so that counts_of() is a lower bound.
[[nodiscard]] bool incomplete(const Snapshot& snapshot, Place place);

// How many entries stand directly in it; 0 for all but directories.
[[nodiscard]] std::uint64_t child_count(const Snapshot& snapshot, Place place);

// Whether a's name is smaller than b's, both in the same place. A total order: two roots with one
// path stand as they were given.
[[nodiscard]] bool name_less(const fs::Tree& tree, fs::NodeId a, fs::NodeId b);

// Calls function(Place) for each of them: directories first, else in no particular order.
template <class Function>
void for_each_child(const Snapshot& snapshot, Place place, Function function) {
  if (place.above_roots()) {
    for (const Place root : snapshot.roots()) function(root);
  } else if (place.directory != fs::kNoDir) {
    const fs::Children& children = snapshot.children();
    for (const fs::DirId id : children.directories(place.directory)) {
      function(Place{snapshot.tree().node(id), id});
    }
    for (const fs::NodeId node : children.others(place.directory)) {
      function(Place{node, fs::kNoDir});
    }
  }
}

}  // namespace fathom::web

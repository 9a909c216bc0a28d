// directory_queries: queries about any place of a snapshot: a directory, a non-directory entry, or
// the place above the roots.

#pragma once

#include <cstdint>

#include "api/snapshot.h"
#include "fathom/fs/totals.h"

namespace fathom::web {

// Includes everything below the place. Zero for an entry that is counted at another path.
[[nodiscard]] fs::Counts counts_of(const Snapshot& snapshot, Place place);

// Whether something at or below the place could not be read, so that counts_of() is a lower bound.
[[nodiscard]] bool incomplete(const Snapshot& snapshot, Place place);

// The last modification at or below the place, in seconds since the epoch; fs::kUnknownTime if
// nothing there has a time that the scan can have found.
[[nodiscard]] std::int64_t newest_in(const Snapshot& snapshot, Place place);

// Whether an entry is the place, or somewhere below it.
[[nodiscard]] bool is_within(const Snapshot& snapshot, fs::NodeId node, Place place);

// The number of direct entries; 0 for non-directories.
[[nodiscard]] std::uint64_t child_count(const Snapshot& snapshot, Place place);

// Whether the name of a is smaller than that of b. Requires: both are in the same place. A total
// order: two roots with the same path are in the order in which they were given.
[[nodiscard]] bool name_less(const fs::Tree& tree, fs::NodeId a, fs::NodeId b);

// Calls function(Place) for each direct entry: directories first, otherwise in no particular order.
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

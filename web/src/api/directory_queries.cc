// directory_queries: counts and comparisons of places.

#include "api/directory_queries.h"

#include <algorithm>

namespace fathom::web {

fs::Counts counts_of(const Snapshot& snapshot, Place place) {
  if (place.above_roots()) return snapshot.totals().whole();
  if (place.directory != fs::kNoDir) return snapshot.totals().below(place.directory);
  fs::Counts counts;
  counts.add(snapshot.tree(), place.node);
  return counts;
}

bool incomplete(const Snapshot& snapshot, Place place) {
  if (place.directory != fs::kNoDir) return snapshot.totals().lower_bound(place.directory);
  if (!place.above_roots()) return false;
  const auto lower_bound = [&](Place root) { return incomplete(snapshot, root); };
  return snapshot.roots().size() < snapshot.tree().roots().size() ||
         std::any_of(snapshot.roots().begin(), snapshot.roots().end(), lower_bound);
}

std::int64_t newest_in(const Snapshot& snapshot, Place place) {
  if (place.above_roots()) {
    std::int64_t newest = fs::kUnknownTime;
    for (const Place root : snapshot.roots()) newest = std::max(newest, newest_in(snapshot, root));
    return newest;
  }
  if (place.directory != fs::kNoDir) return snapshot.newest().below(place.directory);
  const std::int64_t time = snapshot.tree().mtime(place.node);
  return time <= fs::latest_usable(snapshot.taken()) ? time : fs::kUnknownTime;
}

bool is_within(const Snapshot& snapshot, fs::NodeId node, Place place) {
  if (place.above_roots() || node == place.node) return true;
  if (place.directory == fs::kNoDir) return false;
  const fs::Tree& tree = snapshot.tree();
  for (fs::DirId at = tree.parent(node); at != fs::kNoDir; at = tree.parent_of(at)) {
    if (at == place.directory) return true;
  }
  return false;
}

std::uint64_t child_count(const Snapshot& snapshot, Place place) {
  if (place.above_roots()) return snapshot.roots().size();
  if (place.directory == fs::kNoDir) return 0;
  const fs::Children& children = snapshot.children();
  return children.directories(place.directory).size() + children.others(place.directory).size();
}

bool name_less(const fs::Tree& tree, fs::NodeId a, fs::NodeId b) {
  if (const int order = tree.name(a).compare(tree.name(b)); order != 0) return order < 0;
  if (tree.parent(a) != fs::kNoDir) return a < b;  // a saved scan contains the name twice
  return tree.root_index(a) < tree.root_index(b);
}

}  // namespace fathom::web

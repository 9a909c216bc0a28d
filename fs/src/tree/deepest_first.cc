// deepest_first: a counting sort of the directories by depth.

#include "tree/deepest_first.h"

#include <cstdint>
#include <utility>

namespace fathom::fs {

std::vector<DirId> deepest_first(const Tree& tree) {
  std::vector<std::uint32_t> at_depth;  // the number at each depth; then where each depth begins
  tree.for_each_directory([&](DirId id) {
    const std::uint32_t depth = tree.depth(id);
    if (depth >= at_depth.size()) at_depth.resize(depth + 1);
    ++at_depth[depth];
  });
  std::uint32_t next = 0;
  for (auto it = at_depth.rbegin(); it != at_depth.rend(); ++it) {
    next += std::exchange(*it, next);
  }
  std::vector<DirId> ordered(next);
  tree.for_each_directory([&](DirId id) { ordered[at_depth[tree.depth(id)]++] = id; });
  return ordered;
}

}  // namespace fathom::fs

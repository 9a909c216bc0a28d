// DeviceDirectories: one pass over the directories.

#include "tree/device_directories.h"

namespace fathom::fs {

std::map<std::uint64_t, DirId> device_directories(const Tree& tree) {
  std::map<std::uint64_t, DirId> found;
  auto last = found.end();
  tree.for_each_directory([&](DirId id) {
    const std::uint64_t device = tree.device(tree.node(id));
    if (last == found.end() || last->first != device) last = found.emplace(device, id).first;
    const std::uint32_t depth = tree.depth(id);
    const std::uint32_t least = tree.depth(last->second);
    if (depth < least ||
        (depth == least && tree.path_less(tree.node(id), tree.node(last->second)))) {
      last->second = id;
    }
  });
  return found;
}

}  // namespace fathom::fs

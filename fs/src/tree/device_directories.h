// DeviceDirectories: where the devices of a tree can be found.

#pragma once

#include <cstdint>
#include <map>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// One directory of each device: the one with the fewest components; of several, that with the
// smallest path.
[[nodiscard]] std::map<std::uint64_t, DirId> device_directories(const Tree& tree);

}  // namespace fathom::fs

// Map: the largest entries of a directory, for boxes. Made only while it is shown.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::tui {

struct MapBox {
  fs::NodeId node = fs::kNoNode;  // kNoNode: all smaller ones together
  std::uint64_t bytes = 0;
};

struct Map {
  bool wanted = false;
  std::vector<MapBox> boxes;  // the largest first
};

}  // namespace fathom::tui

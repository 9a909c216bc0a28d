// for_each_device(): the devices of a tree, each by an open directory.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fathom/base/fd.h"
#include "fathom/fs/tree.h"
#include "os/os.h"
#include "tree/device_directories.h"

namespace fathom::fs {

// Calls function(device, node, open directory) for the topmost directory of each device, by device
// number. Devices whose directory cannot be opened, or is not there any more, are left out.
template <class Function>
void for_each_device(const Tree& tree, const Function& function) {
  for (const auto& [device, id] : device_directories(tree)) {
    const NodeId node = tree.node(id);
    const std::string path = tree.path(node);
    const base::Fd directory(os::open_directory(os::kCurrentDirectory, path.c_str()));
    Entry entry;
    // Something else may be there now.
    if (!directory || os::stat_directory(directory.get(), entry) != 0 || entry.device != device) {
      continue;
    }
    function(device, node, directory.get());
  }
}

// What filesystem_ids() says of a device, by the arguments of that function.
[[nodiscard]] std::optional<std::string> id_of_device(const Tree& tree, std::uint64_t device,
                                                      NodeId node, int directory);

}  // namespace fathom::fs

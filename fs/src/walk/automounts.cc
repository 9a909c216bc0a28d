// Automounts: the mount points of type autofs.

#include "walk/automounts.h"

#include <algorithm>

#include "fathom/fs/mounts.h"

namespace fathom::fs {

Automounts::Automounts() {
  for (const Mount& mount : own_mounts()) {
    if (mount.type != "autofs") continue;
    devices_.push_back(mount.device);
    names_.push_back(mount.point.substr(mount.point.rfind('/') + 1));
  }
}

bool Automounts::wait_at(std::uint64_t device) const {
  return std::find(devices_.begin(), devices_.end(), device) != devices_.end();
}

bool Automounts::is_named(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

}  // namespace fathom::fs

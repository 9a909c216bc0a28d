// Automounts: directories where entering triggers a mount.
//
// The mount table lists the filesystems of automounters. Their directories are mount points,
// directly or one level below. After a filesystem has been mounted there, the directory has that
// filesystem's device.
//
//   if (automounts.may_wait_at(name, parent_device)) { ... stat without entering ... }

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {

class Automounts {
 public:
  // Reads the mount table of this process. Empty if the system does not report it.
  Automounts();

  // Whether a directory of that name, in a directory of that device, has to be checked before it is
  // entered. Very cheap in most cases.
  [[nodiscard]] bool may_wait_at(std::string_view name, std::uint64_t parent_device) const {
    return !devices_.empty() && (wait_at(parent_device) || is_named(name));
  }

  // Whether this is the device of an automounter.
  [[nodiscard]] bool wait_at(std::uint64_t device) const;

 private:
  [[nodiscard]] bool is_named(std::string_view name) const;

  std::vector<std::uint64_t> devices_;
  std::vector<std::string> names_;  // of their mount points
};

}  // namespace fathom::fs

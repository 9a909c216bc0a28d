// Automounts: directories where something is mounted as soon as somebody goes in.
//
// The mount table knows the filesystems of automounters. Their directories are mount points that
// wait, directly or one level below. Where something has been mounted meanwhile, the directory has
// that one's device.
//
//   if (automounts.may_wait_at(name, parent_device)) { ... look without going in ... }

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {

class Automounts {
 public:
  // Those of this process, as of now. Where the system does not tell, none.
  Automounts();

  // Whether a directory of that name, in a directory of that device, has to be looked at first.
  // Costs next to nothing where it need not.
  [[nodiscard]] bool may_wait_at(std::string_view name, std::uint64_t parent_device) const {
    return !devices_.empty() && (wait_at(parent_device) || is_named(name));
  }

  // Whether that is the device of an automounter.
  [[nodiscard]] bool wait_at(std::uint64_t device) const;

 private:
  [[nodiscard]] bool is_named(std::string_view name) const;

  std::vector<std::uint64_t> devices_;
  std::vector<std::string> names_;  // of their mount points
};

}  // namespace fathom::fs

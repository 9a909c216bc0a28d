// Mounts: the mount table of this process.
//
//   const std::vector<Mount> mounts = own_mounts();
//   const Mount* mount = mount_of(mounts, "/srv/data");

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {

struct Mount {
  std::int64_t id = 0;
  std::int64_t parent = 0;   // the id of the mount on which it is mounted
  std::uint64_t device = 0;  // of the whole filesystem
  std::string top;           // the directory of the filesystem that is mounted
  std::string point;         // the mount point; bytes, absolute
  std::string type;
  bool maps_ids = false;  // users and groups appear as others than the filesystem has stored
};

// The mounts of this process; empty if the system does not report them.
[[nodiscard]] std::vector<Mount> own_mounts();

// Parses Linux's mountinfo, keeping the order; skips malformed lines.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view text);

// The mount of an absolute path without links: the last one among those with the longest mount
// point, which hides the others. Null if there is none.
[[nodiscard]] const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);

}  // namespace fathom::fs

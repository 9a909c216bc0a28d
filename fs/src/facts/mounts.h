// Mounts: what is mounted where, as this process sees it.
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
  std::int64_t parent = 0;   // the id of the mount that it stands on
  std::uint64_t device = 0;  // of the whole filesystem
  std::string top;           // which of the filesystem's directories is mounted
  std::string point;         // where; bytes, absolute
  std::string type;
};

// Those of this process; none where the system does not tell.
[[nodiscard]] std::vector<Mount> own_mounts();

// The lines of Linux's mountinfo, in their order; what is no such line is skipped.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view text);

// The mount that an absolute path without links leads to: the last of those nearest to it, which
// hides the others. Null if there is none.
[[nodiscard]] const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);

}  // namespace fathom::fs

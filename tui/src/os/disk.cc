// Disk: statvfs.

#include "os/disk.h"

#include <sys/statvfs.h>

#include <cstdint>

namespace fathom::tui {

std::optional<unsigned> disk_percent(const std::string& path) {
  struct statvfs found {};
  if (::statvfs(path.c_str(), &found) != 0 || found.f_blocks == 0) return std::nullopt;
  const std::uint64_t used = found.f_blocks - found.f_bfree;
  const std::uint64_t usable = used + found.f_bavail;
  if (usable == 0) return std::nullopt;
  return static_cast<unsigned>((used * 100 + usable - 1) / usable);
}

}  // namespace fathom::tui

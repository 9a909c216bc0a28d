// free_space: fstatvfs.

#include "os/free_space.h"

#include <sys/statvfs.h>

namespace fathom::act {

std::optional<std::uint64_t> free_space(int folder) {
  struct statvfs seen = {};
  if (::fstatvfs(folder, &seen) != 0) return std::nullopt;
  return std::uint64_t{seen.f_bfree} * seen.f_frsize;
}

}  // namespace fathom::act

// link_limit: known limits by filesystem type.

#include "os/link_limit.h"

#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "fathom/base/retry.h"

namespace fathom::act {

// The limits of Linux's own drivers: EXT4_LINK_MAX, BTRFS_LINK_MAX, NILFS_LINK_MAX. pathconf(3)
// returns 127 for every filesystem that the C library does not know.
std::uint64_t link_limit([[maybe_unused]] int file) {
#ifdef __linux__
  struct statfs filesystem = {};
  if (base::retry_errno([&] { return ::fstatfs(file, &filesystem); }) < 0) return 0;
  switch (static_cast<std::uint32_t>(filesystem.f_type)) {
    case EXT4_SUPER_MAGIC:
      return 65'000;
    case BTRFS_SUPER_MAGIC:
      return 65'535;
    case NILFS_SUPER_MAGIC:
      return 32'000;
    default:
      break;
  }
#endif
  return 0;
}

}  // namespace fathom::act

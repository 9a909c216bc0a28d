// scanned_filesystems: fstatvfs and the mount table.

#include "fathom/fs/scanned_filesystems.h"

#include <sys/statvfs.h>

#include <utility>

#include "fathom/base/path.h"
#include "fathom/base/retry.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/mounts.h"
#include "os/each_device.h"

namespace fathom::fs {

std::vector<ScannedFilesystem> scanned_filesystems(const Tree& tree) {
  const std::vector<Mount> mounts = own_mounts();
  std::vector<ScannedFilesystem> found;
  for_each_device(tree, [&](std::uint64_t device, NodeId node, int directory) {
    struct statvfs figures = {};
    if (base::retry([&] { return ::fstatvfs(directory, &figures); }) != 0) figures = {};
    const std::uint64_t unit = figures.f_frsize;
    ScannedFilesystem one{.device = device,
                          .id = id_of_device(tree, device, node, directory).value_or(""),
                          .mount_point = {},
                          .type = {},
                          .size = base::saturating_mul(figures.f_blocks, unit),
                          .free = base::saturating_mul(figures.f_bfree, unit),
                          .available = base::saturating_mul(figures.f_bavail, unit),
                          .inodes = figures.f_files,
                          .free_inodes = figures.f_ffree};
    const auto path = base::real_path(tree.path(node));
    if (const Mount* const mount = path ? mount_of(mounts, *path) : nullptr; mount != nullptr) {
      one.mount_point = mount->point;
      one.type = mount->type;
    }
    found.push_back(std::move(one));
  });
  return found;
}

}  // namespace fathom::fs

// is_other(): by UUID; where one is missing, by mount point and type.

#include "diff/other_filesystem.h"

#include "fathom/fs/filesystem_id.h"

namespace fathom::store {

bool is_other(const SnapshotFilesystem& a, const SnapshotFilesystem& b) {
  if (fs::is_uuid(a.fs_uuid) && fs::is_uuid(b.fs_uuid)) {
    return fs::volume_of(a.fs_uuid) != fs::volume_of(b.fs_uuid);
  }
  const bool same_type = a.type.empty() || b.type.empty() || a.type == b.type;
  return a.mount_point != b.mount_point || !same_type;
}

}  // namespace fathom::store

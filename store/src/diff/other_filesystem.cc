// is_other(): by UUID; where one is missing, by mount point and type.

#include "diff/other_filesystem.h"

#include "fathom/fs/filesystem_id.h"

namespace fathom::store {

bool is_uuid(std::string_view fs_uuid) {
  return !fs_uuid.empty() && !fs_uuid.starts_with(fs::kDirectoryPrefix);
}

std::string_view volume_of(std::string_view fs_uuid) {
  return fs_uuid.substr(0, fs_uuid.find('/'));
}

bool is_other(const SnapshotFilesystem& a, const SnapshotFilesystem& b) {
  if (is_uuid(a.fs_uuid) && is_uuid(b.fs_uuid)) return volume_of(a.fs_uuid) != volume_of(b.fs_uuid);
  const bool same_type = a.type.empty() || b.type.empty() || a.type == b.type;
  return a.mount_point != b.mount_point || !same_type;
}

}  // namespace fathom::store

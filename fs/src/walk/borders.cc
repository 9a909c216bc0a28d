// Borders: mounts, devices and cache tags.

#include "walk/borders.h"

#include "os/os.h"

namespace fathom::fs {

namespace {

bool is_kernel_filesystem(int descriptor, Worker& worker) {
  worker.pace();
  return os::is_kernel_filesystem(descriptor);
}

bool is_tagged_cache(int descriptor, Worker& worker) {
  worker.pace();
  const int tag = os::open_cache_tag(descriptor);
  if (tag < 0) return false;
  worker.pace();
  return os::is_cache_tag(tag);
}

}  // namespace

bool Borders::may_open(const Directory& directory, int at, Worker& worker) const {
  const Directory* const parent = directory.parent();
  if (parent == nullptr) return true;
  if (!selection_.one_file_system &&
      !automounts_.may_wait_at(directory.name(), parent->as().device)) {
    return true;
  }
  worker.pace();
  Entry entry;
  std::uint64_t mount = 0;
  if (os::stat_at(at, directory.name().c_str(), entry, &mount) != 0) return true;
  return !automounts_.wait_at(entry.device) && !is_elsewhere(parent, entry, mount);
}

std::optional<Excluded> Borders::reason_to_exclude(const Directory& directory, int descriptor,
                                                   const Entry& entry, std::uint64_t mount,
                                                   Worker& worker) const {
  const Directory* const parent = directory.parent();
  if (parent == nullptr) return std::nullopt;
  if (is_elsewhere(parent, entry, mount)) return Excluded::other_filesystem;
  if (!selection_.kernel_filesystems && mount != parent->as().mount &&
      is_kernel_filesystem(descriptor, worker)) {
    return Excluded::kernel_filesystem;
  }
  if (!selection_.caches && is_tagged_cache(descriptor, worker)) return Excluded::cache;
  return std::nullopt;
}

}  // namespace fathom::fs

// FileState: fills it with stat calls, and compares identities.

#include "os/file_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <cerrno>

#include "fathom/base/clock.h"
#include "fathom/base/retry.h"
#include "fathom/base/statx.h"

namespace fathom::act {

namespace {

std::int64_t nanoseconds(const struct timespec& time) {
  return base::to_nanoseconds(time.tv_sec, time.tv_nsec);
}

}  // namespace

FileState converted(const struct stat& from) {
  FileState to;
#ifdef __APPLE__
  to.identity.mtime_ns = nanoseconds(from.st_mtimespec);
  to.identity.ctime_ns = nanoseconds(from.st_ctimespec);
#else
  to.identity.mtime_ns = nanoseconds(from.st_mtim);
  to.identity.ctime_ns = nanoseconds(from.st_ctim);
#endif
  to.identity.device = static_cast<std::uint64_t>(from.st_dev);
  to.identity.inode = from.st_ino;
  to.identity.size = static_cast<std::uint64_t>(from.st_size);
  to.links = from.st_nlink;
  to.blocks = static_cast<std::uint64_t>(from.st_blocks);
  to.uid = from.st_uid;
  to.gid = from.st_gid;
  to.mode = from.st_mode;
  return to;
}

#ifdef AT_STATX_FORCE_SYNC
namespace {

FileState converted(const struct statx& from) {
  FileState to;
  to.identity.mtime_ns = base::to_nanoseconds(from.stx_mtime.tv_sec, from.stx_mtime.tv_nsec);
  to.identity.ctime_ns = base::to_nanoseconds(from.stx_ctime.tv_sec, from.stx_ctime.tv_nsec);
  to.identity.device = makedev(from.stx_dev_major, from.stx_dev_minor);
  to.identity.inode = from.stx_ino;
  to.identity.size = from.stx_size;
  to.links = from.stx_nlink;
  to.blocks = from.stx_blocks;
  to.uid = from.stx_uid;
  to.gid = from.stx_gid;
  to.mode = from.stx_mode;
  return to;
}

}  // namespace
#endif

int state_of(int file, FileState& state) {
  struct stat seen = {};
  const int result = base::retry_errno([&] { return ::fstat(file, &seen); });
  if (result == 0) state = converted(seen);
  return result;
}

int state_at(const std::string& path, FileState& state) {
  struct stat seen = {};
  const int result = base::retry_errno([&] { return ::lstat(path.c_str(), &seen); });
  if (result == 0) state = converted(seen);
  return result;
}

// The kernel answers for a filesystem in user space or on a network from its cache, which may be
// older than what another mount of the same files, or another machine, has changed.
int state_at(const Location& location, FileState& state) {
#ifdef AT_STATX_FORCE_SYNC
  struct statx fresh = {};
  const int asked = base::retry_errno([&] {
    return ::statx(location.folder.get(), location.name.c_str(),
                   AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS,
                   &fresh);
  });
  const bool is_unsupported = asked == -ENOSYS || asked == -EPERM || asked == -EINVAL;
  if (asked == 0) state = converted(fresh);
  if (!is_unsupported) return asked;
#endif
  struct stat seen = {};
  const int result = base::retry_errno([&] {
    return ::fstatat(location.folder.get(), location.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW);
  });
  if (result == 0) state = converted(seen);
  return result;
}

bool is_at(const Location& location, std::uint64_t device, std::uint64_t inode) {
  FileState state;
  FileState folder;
  if (state_at(location, state) < 0 || state.identity.inode != inode) return false;
  return state.identity.device == device || (state_of(location.folder.get(), folder) == 0 &&
                                             state.identity.device == folder.identity.device);
}

std::optional<MountId> mount_id_at(int folder, const char* path) {
  struct stat seen = {};
  const bool is_open = *path == '\0';
  const int result = base::retry_errno(
      [&] { return is_open ? ::fstat(folder, &seen) : ::fstatat(folder, path, &seen, 0); });
  if (result < 0) return std::nullopt;
  MountId mount{static_cast<std::uint64_t>(seen.st_dev)};
#ifdef STATX_MNT_ID
  struct statx more = {};
  const int flags = AT_NO_AUTOMOUNT | (is_open ? AT_EMPTY_PATH : 0);
  if (::statx(folder, path, flags, STATX_MNT_ID, &more) == 0 &&
      (more.stx_mask & STATX_MNT_ID) != 0) {
    mount.number = base::mount_id(more);
  }
#endif
  return mount;
}

bool same_file(const fs::FileIdentity& a, const fs::FileIdentity& b) {
  return a.device == b.device && a.inode == b.inode;
}

bool same_but_for_ctime(const fs::FileIdentity& a, const fs::FileIdentity& b) {
  return same_file(a, b) && a.size == b.size && a.mtime_ns == b.mtime_ns;
}

}  // namespace fathom::act

// MutatingOps: the system calls, with fallbacks for old kernels and filesystems.

#include "os/mutating_ops.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <new>

#include "fathom/base/retry.h"
#include "fathom/base/sync.h"

namespace fathom::act {

namespace {

constexpr mode_t kOwnFolder = 0700;  // content of a private directory stays private

int link_at(const Location& from, const Location& to) {
  return base::retry_errno([&] {
    return ::linkat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str(), 0);
  });
}

int unlink_at(int folder, const char* name, int flags) {
  return base::retry_errno([&] { return ::unlinkat(folder, name, flags); });
}

int rename_at(const Location& from, const Location& to) {
  return base::retry_errno([&] {
    return ::renameat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str());
  });
}

int stat_at(const Location& location, struct stat& seen) {
  return base::retry_errno([&] {
    return ::fstatat(location.folder.get(), location.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW);
  });
}

bool exists(const Location& location) {
  struct stat seen = {};
  return stat_at(location, seen) != -ENOENT;
}

bool has_no_links(int result) {
  return result == -EPERM || result == -ENOTSUP || result == -ENOSYS;
}

// -ENOSYS: not supported by the kernel or the filesystem, or blocked by a filter.
int rename_with([[maybe_unused]] const Location& from, [[maybe_unused]] const Location& to,
                [[maybe_unused]] unsigned flags) {
#ifdef SYS_renameat2
  const int result = base::retry_errno([&] {
    return static_cast<int>(::syscall(SYS_renameat2, from.folder.get(), from.name.c_str(),
                                      to.folder.get(), to.name.c_str(), flags));
  });
  return result == -EINVAL ? -ENOSYS : result;
#else
  return -ENOSYS;
#endif
}

#ifdef FIDEDUPERANGE

constexpr std::uint64_t kMostAtOnce = std::uint64_t{16} << 20;  // the limit of some filesystems

// Returns how many bytes from `at` on are shared now; 0: the files differ there; else -errno.
std::int64_t share_range(int from, int to, std::uint64_t at, std::uint64_t length) {
  alignas(struct file_dedupe_range)
      std::byte room[sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)] = {};
  auto& range = *new (room) file_dedupe_range;
  range.src_offset = at;
  range.src_length = length;
  range.dest_count = 1;
  auto& info = range.info[0];
  info.dest_fd = to;
  info.dest_offset = at;
  const int result = base::retry_errno([&] { return ::ioctl(from, FIDEDUPERANGE, &range); });
  if (result < 0) return result == -ENOTTY ? -EOPNOTSUPP : result;
  if (info.status < 0) return info.status;
  if (info.status == FILE_DEDUPE_RANGE_DIFFERS) return 0;
  if (length > 0 && info.bytes_deduped == 0) return -EIO;  // prevents an endless loop
  return static_cast<std::int64_t>(std::max<std::uint64_t>(info.bytes_deduped, 1));
}

#endif

}  // namespace

int MutatingOps::link(const Location& from, const Location& to) const {
  before("link");
  return link_at(from, to);
}

int MutatingOps::exchange([[maybe_unused]] const Location& a,
                          [[maybe_unused]] const Location& b) const {
#ifdef RENAME_EXCHANGE
  before("exchange");
  return rename_with(a, b, RENAME_EXCHANGE);
#else
  return -ENOSYS;
#endif
}

// Where the kernel cannot refuse to overwrite, a check beforehand is enough: nobody else creates
// such names.
int MutatingOps::move_aside(const Location& from, const Location& own) const {
#ifdef RENAME_NOREPLACE
  before("move aside");
  const int result = rename_with(from, own, RENAME_NOREPLACE);
  if (result != -ENOSYS) return result;
#endif
  if (exists(own)) return -EEXIST;
  before("rename aside");
  return rename_at(from, own);
}

// The fallback makes a second name and then removes the own one, because link() overwrites nothing
// either. A process that is killed in between leaves the file with both names. Where that is not
// possible either, a file that appears between the check and the move is replaced.
int MutatingOps::move_back(const Location& own, const Location& to) const {
#ifdef RENAME_NOREPLACE
  before("move back");
  const int result = rename_with(own, to, RENAME_NOREPLACE);
  if (result != -ENOSYS) return result;
#endif
  before("link back");
  const int linked = link_at(own, to);
  if (has_no_links(linked)) {
    if (exists(to)) return -EEXIST;
    return rename_at(own, to);
  }
  if (linked < 0) return linked;
  before("unlink own");
  return unlink_at(own.folder.get(), own.name.c_str(), 0);
}

int MutatingOps::unlink(const Location& location) const {
  return unlink_below(location.folder.get(), location.name.c_str());
}

int MutatingOps::unlink_below(int folder, const char* name) const {
  before("unlink");
  return unlink_at(folder, name, 0);
}

int MutatingOps::make_folder(const Location& location) const {
  before("make folder");
  return base::retry_errno(
      [&] { return ::mkdirat(location.folder.get(), location.name.c_str(), kOwnFolder); });
}

int MutatingOps::make_file(const Location& location, std::string_view text) const {
  before("make file");
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  constexpr mode_t kOwnFile = 0600;
  const int folder = location.folder.get();
  const int opened =
      base::retry_errno([&] { return ::openat(folder, location.name.c_str(), kFlags, kOwnFile); });
  if (opened < 0) return opened;
  const base::Fd file(opened);
  const auto written = base::retry_errno(
      [&] { return static_cast<int>(::write(file.get(), text.data(), text.size())); });
  int result = written < 0 ? written : 0;
  if (result == 0 && static_cast<std::size_t>(written) != text.size()) result = -ENOSPC;
  if (result == 0) result = sync(file.get());
  if (result < 0) static_cast<void>(unlink(location));
  return result;
}

int MutatingOps::replace(const Location& from, const Location& to) const {
  before("replace");
  return rename_at(from, to);
}

int MutatingOps::remove_folder(const Location& location) const {
  return remove_folder_below(location.folder.get(), location.name.c_str());
}

int MutatingOps::remove_folder_below(int folder, const char* name) const {
  before("remove folder");
  return unlink_at(folder, name, AT_REMOVEDIR);
}

int MutatingOps::sync(int file) const {
  before("sync");
  return base::sync_file(file);
}

int MutatingOps::write_out([[maybe_unused]] int file) const {
#ifdef __linux__
  before("write out");
  constexpr unsigned kAll =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const int result = base::retry_errno([&] { return ::sync_file_range(file, 0, 0, kAll); });
  return base::has_nothing_to_sync(result) ? 0 : result;
#else
  return -ENOSYS;
#endif
}

// For these filesystems, some drivers do not flush the device's own cache, which sync() does.
int MutatingOps::sync_whole([[maybe_unused]] int file) const {
#ifdef __linux__
  before("sync whole");
  const int result = base::retry_errno([&] { return ::syncfs(file); });
  return result < 0 && !base::has_nothing_to_sync(result) ? result : sync(file);
#else
  return -ENOSYS;
#endif
}

// Filesystems in user space and network filesystems may keep written data in their own memory.
bool MutatingOps::syncs_whole([[maybe_unused]] int file) {
#ifdef __linux__
  struct statfs filesystem = {};
  if (base::retry_errno([&] { return ::fstatfs(file, &filesystem); }) < 0) return false;
  switch (static_cast<std::uint32_t>(filesystem.f_type)) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
#else
  return false;
#endif
}

int MutatingOps::share([[maybe_unused]] int from, [[maybe_unused]] int to,
                       [[maybe_unused]] std::uint64_t size) const {
#ifdef FIDEDUPERANGE
  if (size == 0) {
    const std::int64_t result = share_range(from, to, 0, 0);
    return result < 0 ? static_cast<int>(result) : 1;
  }
  for (std::uint64_t at = 0; at < size;) {
    before("share");
    const std::int64_t shared = share_range(from, to, at, std::min(size - at, kMostAtOnce));
    if (shared <= 0) return static_cast<int>(shared);
    at += static_cast<std::uint64_t>(shared);
  }
  return 1;
#else
  return -EOPNOTSUPP;
#endif
}

}  // namespace fathom::act

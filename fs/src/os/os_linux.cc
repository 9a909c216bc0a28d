// The Linux backend of os.h: getdents64 and statx without the C library's layers.

#include <dirent.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "fathom/base/statx.h"
#include "os/os.h"
#include "os/os_common.h"

namespace fathom::fs::os {

namespace {

static_assert(kCurrentDirectory == AT_FDCWD);

constexpr unsigned kMask = (STATX_BASIC_STATS & ~(STATX_ATIME | STATX_CTIME)) | STATX_MNT_ID;

constexpr unsigned kTimes = STATX_CTIME | STATX_BTIME;

// Only the owner of a directory may suppress the update of its access time. The first refusal ends
// the attempts: otherwise a user who owns little would pay two calls per directory.
base::atomic<bool> may_skip_atime{true};

// Kernels before 4.11 do not have statx; an old seccomp filter returns EPERM.
base::atomic<bool> has_statx{true};

void convert(const struct statx& from, Entry& to) {
  to.size = from.stx_size;
  to.blocks = from.stx_blocks;
  to.inode = from.stx_ino;
  to.device = makedev(from.stx_dev_major, from.stx_dev_minor);
  to.mtime = from.stx_mtime.tv_sec;
  to.uid = from.stx_uid;
  to.gid = from.stx_gid;
  to.links = from.stx_nlink;
  to.mode = from.stx_mode;
}

std::int64_t time_of(const statx_timestamp& time) {
  return nanoseconds_if_known(time.tv_sec, time.tv_nsec);
}

// A filesystem that does not store a time leaves it out of the mask.
void convert_times(const struct statx& from, Times& to) {
  to.mtime = time_of(from.stx_mtime);
  if ((from.stx_mask & STATX_CTIME) != 0) to.ctime = time_of(from.stx_ctime);
  if ((from.stx_mask & STATX_BTIME) != 0) to.btime = time_of(from.stx_btime);
}

// Kernels before 5.8 do not report mount ids.
std::uint64_t mount_of(const struct statx& from, const Entry& entry) {
  return (from.stx_mask & STATX_MNT_ID) != 0 ? base::mount_id(from) : entry.device;
}

int stat_with(int at, const char* name, int flags, Entry& entry, std::uint64_t* mount,
              Wanted wanted) {
  if (has_statx.load(base::memory_order_relaxed)) {
    struct statx buffer;  // filled by the kernel
    const bool with_times = wanted == Wanted::with_times;
    const unsigned mask = with_times ? kMask | kTimes : kMask;
    const int result = base::retry_errno([&] { return ::statx(at, name, flags, mask, &buffer); });
    if (result == 0) {
      convert(buffer, entry);
      if (with_times) convert_times(buffer, entry.times);
      if (mount != nullptr) *mount = mount_of(buffer, entry);
      return 0;
    }
    if (result != -ENOSYS && result != -EPERM) return result;
  }
  const int result = fstatat_entry(at, name, flags, entry);
  // The old call works where the new one is refused, so statx itself is missing.
  if (result == 0) has_statx.store(false, base::memory_order_relaxed);
  if (result == 0 && mount != nullptr) *mount = entry.device;
  return result;
}

// The contents of /proc/self/task/ID/schedstat: nanoseconds that the thread ran and that it waited
// to run.
double runnable_seconds(int tasks, const char* id) {
  char path[64];
  std::snprintf(path, sizeof path, "%s/schedstat", id);
  const base::Fd file(::openat(tasks, path, O_RDONLY | O_CLOEXEC));
  if (!file) return 0;
  char text[96] = {};
  const ssize_t length = ::read(file.get(), text, sizeof text - 1);
  char* rest = text;
  const auto ran = length > 0 ? std::strtoull(rest, &rest, 10) : 0;
  const auto waited = length > 0 ? std::strtoull(rest, nullptr, 10) : 0;
  return static_cast<double>(ran + waited) * 1e-9;
}

}  // namespace

int open_directory(int at, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  if (may_skip_atime.load(base::memory_order_relaxed)) {
    const int directory = base::retry_errno([&] { return ::openat(at, name, kFlags | O_NOATIME); });
    if (directory != -EPERM) return directory;
    may_skip_atime.store(false, base::memory_order_relaxed);
  }
  return base::retry_errno([&] { return ::openat(at, name, kFlags); });
}

int open_for_lookups(int at, const char* name) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return base::retry_errno([&] { return ::openat(at, name, kFlags); });
}

void close_directory(int directory) {
  ::close(directory);
}

int stat_at(int at, const char* name, Entry& entry, std::uint64_t* mount, Wanted wanted) {
  return stat_with(at, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, entry, mount, wanted);
}

int follow_at(int at, const char* name) {
  Entry unused;
  return stat_with(at, name, AT_NO_AUTOMOUNT, unused, nullptr, Wanted::without_times);
}

int stat_directory(int directory, Entry& entry, std::uint64_t* mount, Wanted wanted) {
  return stat_with(directory, "", AT_EMPTY_PATH, entry, mount, wanted);
}

namespace {

// What <linux/magic.h> does not have.
constexpr std::uint64_t kXfs = 0x58465342;
constexpr std::uint64_t kBcachefs = 0xca451a4e;

// As in statfs(2); 0 if it is unknown.
std::uint64_t filesystem_type(int file) {
  struct statfs buffer;  // filled by the kernel
  if (base::retry_errno([&] { return ::fstatfs(file, &buffer); }) != 0) return 0;
  return static_cast<std::uint64_t>(buffer.f_type) & 0xffffffff;
}

}  // namespace

// Filesystems that show kernel state instead of stored data. Not tmpfs, which does store data.
bool is_kernel_filesystem(int directory) {
  constexpr std::uint64_t kMagics[] = {
      PROC_SUPER_MAGIC,
      SYSFS_MAGIC,
      DEVPTS_SUPER_MAGIC,
      CGROUP_SUPER_MAGIC,
      CGROUP2_SUPER_MAGIC,
      DEBUGFS_MAGIC,
      TRACEFS_MAGIC,
      SECURITYFS_MAGIC,
      BPF_FS_MAGIC,
      PSTOREFS_MAGIC,
      BINFMTFS_MAGIC,
      SELINUX_MAGIC,
      SMACK_MAGIC,
      EFIVARFS_MAGIC,
      NSFS_MAGIC,
      0x62656570 /* configfs */,
      0x19800202 /* mqueue */,
      0x65735543 /* fusectl */,
      0x67596969 /* rpc_pipefs */,
  };
  const std::uint64_t type = filesystem_type(directory);
  return std::find(std::begin(kMagics), std::end(kMagics), type) != std::end(kMagics);
}

int read_names(int directory, NameBlock& block) {
  const auto room = block.room();
  const int result = base::retry_errno([&] {
    return static_cast<int>(::syscall(SYS_getdents64, directory, room.data(), room.size()));
  });
  block.set_used(result > 0 ? static_cast<std::size_t>(result) : 0);
  return result < 0 ? result : 0;
}

// Not tmpfs, where a write through a mapping changes no time; not FAT, which does not store the
// ctime; not servers, whose clocks are others; not FUSE, where a program says what it likes.
bool keeps_change_times(int directory) {
  constexpr std::uint64_t kZfs = 0x2fc12fc1;
  const std::uint64_t type = filesystem_type(directory);
  return type == EXT4_SUPER_MAGIC || type == BTRFS_SUPER_MAGIC || type == F2FS_SUPER_MAGIC ||
         type == OVERLAYFS_SUPER_MAGIC || type == kXfs || type == kBcachefs || type == kZfs;
}

bool may_share_extents(int file) {
  constexpr std::uint64_t kOcfs2 = 0x7461636f;
  const std::uint64_t type = filesystem_type(file);
  return type == BTRFS_SUPER_MAGIC || type == kXfs || type == kBcachefs || type == kOcfs2 ||
         type == OVERLAYFS_SUPER_MAGIC;
}

std::vector<std::uint64_t> shared_extents(int file) {
  constexpr std::size_t kAtOnce = 64;
  // The kernel's structure ends with an array of variable length.
  alignas(fiemap) std::array<std::byte, sizeof(fiemap) + kAtOnce * sizeof(fiemap_extent)> room{};
  auto* const map = reinterpret_cast<fiemap*>(room.data());
  std::vector<std::uint64_t> extents;
  for (std::uint64_t at = 0;;) {
    map->fm_start = at;
    map->fm_length = FIEMAP_MAX_OFFSET - at;
    map->fm_flags = 0;
    map->fm_extent_count = kAtOnce;
    if (base::retry_errno([&] { return ::ioctl(file, FS_IOC_FIEMAP, map); }) < 0) return {};
    if (map->fm_mapped_extents == 0) return extents;
    for (std::uint32_t i = 0; i < map->fm_mapped_extents; ++i) {
      const fiemap_extent& extent = map->fm_extents[i];
      if ((extent.fe_flags & FIEMAP_EXTENT_SHARED) == 0) return {};
      extents.insert(extents.end(), {extent.fe_logical, extent.fe_physical, extent.fe_length});
      if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0) return extents;
    }
    const fiemap_extent& last = map->fm_extents[map->fm_mapped_extents - 1];
    at = last.fe_logical + last.fe_length;
  }
}

std::size_t free_descriptors() {
  const std::size_t limit = descriptor_limit();
  const int descriptors = open_directory(AT_FDCWD, "/proc/self/fd");
  if (descriptors < 0) return limit - std::min(limit, open_descriptors());
  std::size_t open = 0;
  NameBlock names;
  while (read_names(descriptors, names) == 0 && !names.empty()) {
    names.for_each([&open](const RawName&) { return ++open, true; });
  }
  close_directory(descriptors);
  return limit - std::min(limit, open);
}

double runnable_seconds() {
  const auto used = [] { return std::chrono::duration<double>(base::processor_time()).count(); };
  const int tasks = open_directory(AT_FDCWD, "/proc/self/task");
  if (tasks < 0) return used();
  double seconds = 0;
  NameBlock names;
  while (read_names(tasks, names) == 0 && !names.empty()) {
    names.for_each([&](const RawName& name) {
      seconds += runnable_seconds(tasks, name.name());
      return true;
    });
  }
  close_directory(tasks);
  return std::max(seconds, used());
}

}  // namespace fathom::fs::os

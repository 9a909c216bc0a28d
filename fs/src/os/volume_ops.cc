// The system calls of volume_ops.h, for Linux.

#include "os/volume_ops.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "fathom/base/statx.h"

#ifdef __linux__
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <ctime>
#endif

namespace fathom::fs::os {

#ifdef __linux__

namespace {

std::string small_file(const std::string& path) {
  std::array<char, 4096> text{};
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  const ssize_t length = base::retry([&] { return ::read(file.get(), text.data(), text.size()); });
  return length <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(length));
}

// Whether a map in /proc/self maps all ids to themselves: "0 0 4294967295".
bool is_identity(const std::string& map) {
  std::array<std::uint64_t, 3> numbers{};
  const char* at = map.data();
  const char* const end = at + map.size();
  for (std::uint64_t& number : numbers) {
    while (at < end && *at == ' ') ++at;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return false;
    at = stop;
  }
  return numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0xffffffff;
}

int open_device_file(const std::string& path, std::uint64_t device) {
  base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return -errno;
  struct stat found = {};
  if (::fstat(file.get(), &found) != 0) return -errno;
  if (!S_ISBLK(found.st_mode) || found.st_rdev != device) return -ENODEV;
  return file.release();
}

// The name of the device below /dev, as the kernel chose it; empty if unknown.
std::string device_name(const std::string& number) {
  constexpr std::string_view kKey = "DEVNAME=";
  const std::string facts = small_file("/sys/dev/block/" + number + "/uevent");
  const std::size_t at = facts.find(kKey);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kKey.size();
  return facts.substr(begin, facts.find('\n', begin) - begin);
}

// <linux/fs.h> does not have the interface of XFS; these are its structures (xfs_fs.h of xfsprogs
// documents them, xfsctl(3) and ioctl_xfs_bulkstat(2) explain them).
struct XfsBulkRequest {
  std::uint64_t first;
  std::uint32_t flags;
  std::uint32_t capacity;
  std::uint32_t count;
  std::uint32_t group;
  std::uint64_t reserved[5];
};
static_assert(sizeof(XfsBulkRequest) == kXfsRequest);
constexpr std::uint32_t kXfsOneGroup = 1;  // XFS_BULK_IREQ_AGNO
constexpr unsigned long kXfsBulkstat = _IOR('X', 127, XfsBulkRequest);

struct XfsGeometryV1 {
  std::uint32_t block_bytes;
  std::uint32_t realtime_extent;
  std::uint32_t group_blocks;
  std::uint32_t groups;
  std::uint32_t others[24];
};
static_assert(sizeof(XfsGeometryV1) == 112);
constexpr unsigned long kXfsGeometry = _IOR('X', 100, XfsGeometryV1);

}  // namespace

VolumeType volume_type(int directory) {
  constexpr std::uint64_t kXfs = 0x58465342;
  struct statfs buffer = {};
  if (base::retry([&] { return ::fstatfs(directory, &buffer); }) != 0) return VolumeType::other;
  switch (static_cast<std::uint64_t>(buffer.f_type) & 0xffffffff) {
    case BTRFS_SUPER_MAGIC:
      return VolumeType::btrfs;
    case EXT4_SUPER_MAGIC:
      return VolumeType::ext4;
    case kXfs:
      return VolumeType::xfs;
    default:
      return VolumeType::other;
  }
}

bool is_top_of_mount(int directory) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx found = {};
  return base::retry([&] { return ::statx(directory, "", AT_EMPTY_PATH, 0, &found); }) == 0 &&
         (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  static_cast<void>(directory);
  return false;
#endif
}

bool sees_stored_ids() {
  return is_identity(small_file("/proc/self/uid_map")) &&
         is_identity(small_file("/proc/self/gid_map"));
}

bool is_root() {
  return ::geteuid() == 0;
}

int flush(int directory) {
  return base::retry_errno([&] { return ::syncfs(directory); });
}

std::int64_t file_clock_seconds() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

int open_block_device(std::uint64_t device) {
  const std::string number = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  const int by_number = open_device_file("/dev/block/" + number, device);
  if (by_number >= 0 || by_number == -EACCES || by_number == -EPERM) return by_number;
  const std::string name = device_name(number);
  return name.empty() ? by_number : open_device_file("/dev/" + name, device);
}

int open_image(int at, const char* name, std::uint64_t& allocated) {
  base::Fd file(::openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return -errno;
  struct stat found = {};
  if (::fstat(file.get(), &found) != 0) return -errno;
  const bool is_device = S_ISBLK(found.st_mode);
  if (!is_device && !S_ISREG(found.st_mode)) return -ENODEV;
  allocated = is_device ? std::numeric_limits<std::uint64_t>::max()
                        : static_cast<std::uint64_t>(found.st_blocks) * kBlockBytes;
  return file.release();
}

int read_exactly(int file, std::span<std::byte> to, std::uint64_t offset) {
  while (!to.empty()) {
    const ssize_t length = base::retry(
        [&] { return ::pread(file, to.data(), to.size(), static_cast<off_t>(offset)); });
    if (length < 0) return -errno;
    if (length == 0) return -EIO;
    to = to.subspan(static_cast<std::size_t>(length));
    offset += static_cast<std::uint64_t>(length);
  }
  return 0;
}

void will_read(int file, std::uint64_t offset, std::uint64_t bytes) {
  ::posix_fadvise(file, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

int search_btrfs(int directory, const BtrfsKey& first, std::uint64_t last_object,
                 std::uint64_t since, std::span<std::byte> buffer) {
  static_assert(sizeof(btrfs_ioctl_search_args_v2) == kBtrfsRequest);
  auto* const args = reinterpret_cast<btrfs_ioctl_search_args_v2*>(buffer.data());
  std::memset(args, 0, sizeof *args);
  args->buf_size = buffer.size() - sizeof *args;
  args->key.min_objectid = first.object;
  args->key.min_type = first.type;
  args->key.min_offset = first.offset;
  args->key.max_objectid = last_object;
  args->key.max_type = UINT32_MAX;
  args->key.max_offset = UINT64_MAX;
  args->key.min_transid = since;
  args->key.max_transid = UINT64_MAX;
  args->key.nr_items = UINT32_MAX;
  const int result =
      base::retry_errno([&] { return ::ioctl(directory, BTRFS_IOC_TREE_SEARCH_V2, args); });
  return result < 0 ? result : static_cast<int>(args->key.nr_items);
}

int btrfs_subvolume(int directory, BtrfsSubvolume& subvolume) {
  btrfs_ioctl_get_subvol_info_args found = {};
  const int result =
      base::retry_errno([&] { return ::ioctl(directory, BTRFS_IOC_GET_SUBVOL_INFO, &found); });
  subvolume.generation = found.generation;
  subvolume.made = found.otransid;
  std::copy(std::begin(found.uuid), std::end(found.uuid), subvolume.uuid.begin());
  return result;
}

std::uint32_t block_bytes(int directory) {
  struct statfs buffer = {};
  if (base::retry([&] { return ::fstatfs(directory, &buffer); }) != 0) return 0;
  return static_cast<std::uint32_t>(buffer.f_bsize);
}

int bulkstat_xfs(int directory, std::uint32_t group, std::uint64_t& from,
                 std::span<std::byte> buffer) {
  constexpr std::size_t kRecord = 192;  // bytes of an xfs_bulkstat
  auto* const request = reinterpret_cast<XfsBulkRequest*>(buffer.data());
  *request = {};
  request->first = from;
  request->flags = kXfsOneGroup;
  request->capacity = static_cast<std::uint32_t>((buffer.size() - sizeof *request) / kRecord);
  request->group = group;
  const int result = base::retry_errno([&] { return ::ioctl(directory, kXfsBulkstat, request); });
  if (result < 0) return result;
  from = request->first;
  return static_cast<int>(request->count);
}

int xfs_geometry(int directory, XfsGeometry& geometry) {
  XfsGeometryV1 found = {};
  const int result = base::retry_errno([&] { return ::ioctl(directory, kXfsGeometry, &found); });
  geometry = {.groups = found.groups, .block_bytes = found.block_bytes};
  return result;
}

#else

VolumeType volume_type(int /*directory*/) {
  return VolumeType::other;
}
bool is_top_of_mount(int /*directory*/) {
  return false;
}
bool sees_stored_ids() {
  return false;
}
bool is_root() {
  return false;
}
int flush(int /*directory*/) {
  return -ENOTSUP;
}
std::int64_t file_clock_seconds() {
  return 0;
}
int open_block_device(std::uint64_t /*device*/) {
  return -ENOTSUP;
}
int open_image(int /*at*/, const char* /*name*/, std::uint64_t& /*allocated*/) {
  return -ENOTSUP;
}
int read_exactly(int /*file*/, std::span<std::byte> /*to*/, std::uint64_t /*offset*/) {
  return -ENOTSUP;
}
void will_read(int /*file*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}
int search_btrfs(int /*directory*/, const BtrfsKey& /*first*/, std::uint64_t /*last_object*/,
                 std::uint64_t /*since*/, std::span<std::byte> /*buffer*/) {
  return -ENOTSUP;
}
int btrfs_subvolume(int /*directory*/, BtrfsSubvolume& /*subvolume*/) {
  return -ENOTSUP;
}
std::uint32_t block_bytes(int /*directory*/) {
  return 0;
}
int bulkstat_xfs(int /*directory*/, std::uint32_t /*group*/, std::uint64_t& /*from*/,
                 std::span<std::byte> /*buffer*/) {
  return -ENOTSUP;
}
int xfs_geometry(int /*directory*/, XfsGeometry& /*geometry*/) {
  return -ENOTSUP;
}

#endif

}  // namespace fathom::fs::os

// filesystem_ids: asks the kernel for UUIDs, and udev where the kernel does not tell.

#include "fathom/fs/filesystem_id.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "os/each_device.h"
#include "os/os.h"

#ifdef __linux__
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#endif

namespace fathom::fs {

namespace {

#ifdef __linux__

// FS_IOC_GETFSUUID of Linux 6.9, which <linux/fs.h> of older systems does not have.
struct FilesystemUuid {
  std::uint8_t length;
  std::uint8_t bytes[16];
};
constexpr unsigned long kGetUuid = _IOR(0x15, 0, FilesystemUuid);

// The link in /dev/disk/by-uuid that leads to the device, as udev makes them.
std::optional<std::string> id_by_udev(std::uint64_t device) {
  const base::Fd folder(os::open_directory(os::kCurrentDirectory, "/dev/disk/by-uuid"));
  if (!folder) return std::nullopt;
  std::optional<std::string> found;
  os::NameBlock names;
  while (!found && os::read_names(folder.get(), names) == 0 && !names.empty()) {
    names.for_each([&](const os::RawName& name) {
      struct stat target = {};
      const bool known =
          base::retry([&] { return ::fstatat(folder.get(), name.name(), &target, 0); }) == 0;
      if (known && S_ISBLK(target.st_mode) && target.st_rdev == device) found = name.name();
      return !found;
    });
  }
  return found;
}

#endif

}  // namespace

std::string uuid_text(std::span<const std::uint8_t, 16> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::optional<std::string> filesystem_uuid([[maybe_unused]] int directory,
                                           [[maybe_unused]] std::uint64_t device) {
#ifdef __linux__
  btrfs_ioctl_fs_info_args btrfs = {};
  if (base::retry([&] { return ::ioctl(directory, BTRFS_IOC_FS_INFO, &btrfs); }) == 0) {
    // Of a directory, the kernel tells every user which subvolume it is in.
    btrfs_ioctl_ino_lookup_args subvolume = {};
    subvolume.objectid = BTRFS_FIRST_FREE_OBJECTID;
    if (base::retry([&] { return ::ioctl(directory, BTRFS_IOC_INO_LOOKUP, &subvolume); }) != 0) {
      return std::nullopt;
    }
    return uuid_text(btrfs.fsid) + '/' + std::to_string(subvolume.treeid);
  }
  FilesystemUuid uuid = {};
  const bool known = base::retry([&] { return ::ioctl(directory, kGetUuid, &uuid); }) == 0;
  const auto is_set = [](std::uint8_t byte) { return byte != 0; };
  if (known && uuid.length == std::size(uuid.bytes) &&
      std::any_of(std::begin(uuid.bytes), std::end(uuid.bytes), is_set)) {
    return uuid_text(uuid.bytes);
  }
  return id_by_udev(device);
#else
  return std::nullopt;
#endif
}

namespace {

// The next best identity: a directory that is still the same one is on the same filesystem.
std::optional<std::string> id_by_directory(const Tree& tree, NodeId directory) {
  const std::int64_t created = tree.times(directory).btime;
  if (created == kUnknownTime) return std::nullopt;
  return std::string(kDirectoryPrefix) + std::to_string(tree.inode(directory)) + '-' +
         std::to_string(created);
}

}  // namespace

std::optional<std::string> id_of_device(const Tree& tree, std::uint64_t device, NodeId node,
                                        int directory) {
  auto text = filesystem_uuid(directory, device);
  return text ? text : id_by_directory(tree, node);
}

std::map<std::uint64_t, std::string> filesystem_ids(const Tree& tree) {
  std::map<std::uint64_t, std::string> ids;
  for_each_device(tree, [&](std::uint64_t device, NodeId node, int directory) {
    if (auto id = id_of_device(tree, device, node, directory)) ids.emplace(device, std::move(*id));
  });
  return ids;
}

std::map<std::uint64_t, std::string> lasting_filesystems(const Tree& tree) {
  std::map<std::uint64_t, std::string> ids;
  for_each_device(tree, [&](std::uint64_t device, NodeId node, int directory) {
    if (!os::keeps_change_times(directory)) return;
    if (auto id = id_of_device(tree, device, node, directory)) ids.emplace(device, std::move(*id));
  });
  return ids;
}

}  // namespace fathom::fs

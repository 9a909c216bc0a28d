// Identities of filesystems that outlive a reboot: device numbers are assigned anew when a
// filesystem is mounted, and btrfs, NFS and LVM do so often.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// The identity of each device of a tree, by device number: the UUID of its filesystem as text, in
// lower case; on btrfs, where inode numbers are unique only within a subvolume, "/" and the number
// of the subvolume follow. Where the system does not tell, it is kDirectoryPrefix, and the inode
// number and the time of creation of the topmost directory of the device in the tree (of several,
// the one with the smallest path): as long as that directory stays, so does the identity. Devices
// for which this is unknown, too, are left out.
//
// Opens a directory of each device at its path; nothing else.
inline constexpr std::string_view kDirectoryPrefix = "dir-";
[[nodiscard]] std::map<std::uint64_t, std::string> filesystem_ids(const Tree& tree);

// Whether an identity is a UUID: not unknown, and not that of a directory, which tells little,
// because a scan may begin elsewhere, or find a new directory.
inline bool is_uuid(std::string_view id) {
  return !id.empty() && !id.starts_with(kDirectoryPrefix);
}

// An identity without the subvolume: those of one filesystem share its space.
inline std::string_view volume_of(std::string_view id) {
  return id.substr(0, id.find('/'));
}

// 36 characters, in lower case.
[[nodiscard]] std::string uuid_text(std::span<const std::uint8_t, 16> bytes);

// The UUID of the filesystem of an open directory, and its subvolume; nothing if the system does
// not tell.
[[nodiscard]] std::optional<std::string> filesystem_uuid(int directory, std::uint64_t device);

// The same, of those filesystems where a file whose size and times are the same as before has the
// same content: every change sets the ctime, by the clock of this machine, and stays when the
// filesystem is mounted again. Others, such as tmpfs, FAT, NFS and FUSE, are left out.
[[nodiscard]] std::map<std::uint64_t, std::string> lasting_filesystems(const Tree& tree);

}  // namespace fathom::fs

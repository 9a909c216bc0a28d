// Identities of filesystems that outlive a reboot: device numbers are assigned anew when a
// filesystem is mounted, and btrfs, NFS and LVM do so often.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// The identity of each device of a tree, by device number: the UUID of its filesystem as text, in
// lower case; on btrfs, where inode numbers are unique only within a subvolume, "/" and the number
// of the subvolume follow. Devices whose identity the system does not tell are left out.
//
// Opens a directory of each device at its path; nothing else.
[[nodiscard]] std::map<std::uint64_t, std::string> filesystem_ids(const Tree& tree);

}  // namespace fathom::fs

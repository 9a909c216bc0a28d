// ScannedFilesystems: the filesystems that a scan has read, below its roots, too.
//
//   for (const ScannedFilesystem& one : scanned_filesystems(scan.tree)) ...

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

struct ScannedFilesystem {
  std::uint64_t device = 0;  // as in Entry::device
  std::string id;            // as filesystem_ids() has it; empty if unknown
  std::string mount_point;   // empty if unknown
  std::string type;          // such as "ext4"; empty if unknown

  // As in FilesystemFacts; 0 if unknown.
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  std::uint64_t available = 0;
  std::uint64_t inodes = 0;
  std::uint64_t free_inodes = 0;
};

// One for each device of a tree, by device number. Opens the topmost directory of each, which the
// scan has read, and asks the system about that; nothing else, so no other filesystem can hang.
[[nodiscard]] std::vector<ScannedFilesystem> scanned_filesystems(const Tree& tree);

}  // namespace fathom::fs

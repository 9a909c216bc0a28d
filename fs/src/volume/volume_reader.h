// Readers of volumes: each reads all inodes of a mounted filesystem, and the names in its
// directories, in bulk.
//
// A row that they return is the state of an inode at some time after the call began, or at its
// start. To guarantee that, they leave out what changed since: an inode that is missing here has to
// be asked of the kernel, and so have the names of a directory that is missing. What a directory
// contains is known only together with its inode.

#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "fathom/base/error.h"
#include "volume/inode_table.h"
#include "volume/name_table.h"

namespace fathom::fs {

class EarlierVolume;

struct VolumePlace {
  int directory = -1;  // open, anywhere on the filesystem; or none:
  int image = -1;      // an open file that contains a filesystem, which nobody has mounted
  // The bytes that the image has on its disk.
  std::uint64_t image_allocated = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t device = 0;  // of the files in it
  // Seconds since the epoch, before the filesystem was flushed. An inode that changed at that time
  // or later is in doubt.
  std::int64_t since = 0;
  unsigned threads = 1;           // that may read at the same time
  std::function<bool()> stopped;  // any thread calls it: whether to give up
  // What was found before, or null. XFS takes from it the names in directories that have not
  // changed.
  const EarlierVolume* earlier = nullptr;
};

// Why a system call about a filesystem failed.
[[nodiscard]] inline std::string refusal(int error) {
  return std::generic_category().message(error) + (error == EPERM ? " (only root may)" : "");
}

struct VolumeTables {
  InodeTable inodes;
  NameTable names;
};

// Throw base::Error, whose message says why the filesystem cannot be read like this: "its metadata
// has no checksums". Also std::bad_alloc.
[[nodiscard]] VolumeTables read_btrfs(const VolumePlace& place);
// The same from `earlier`, which was read after the transaction `since`, except for the directory
// `entered`, and what has changed since. Nothing if that is so much that it is faster to read
// everything.
[[nodiscard]] std::optional<VolumeTables> renew_btrfs(const VolumePlace& place,
                                                      std::uint64_t entered, std::uint64_t since);
[[nodiscard]] VolumeTables read_ext4(const VolumePlace& place);
// Whether an open file begins like an ext4.
[[nodiscard]] bool looks_like_ext4(int image);
// Without names, except those of `earlier`.
[[nodiscard]] VolumeTables read_xfs(const VolumePlace& place);

}  // namespace fathom::fs

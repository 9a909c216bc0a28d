// EarlierScan: a scan that was made before, from which the next one takes what has not changed.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// Where the changes of a subvolume of btrfs begin that a scan may not have seen.
struct SubvolumeState {
  std::uint64_t transaction = 0;  // they have a higher one; 0: unknown
  // Of the subvolume, as text: after a remount another one may have the same number.
  std::string uuid = {};
  friend bool operator==(const SubvolumeState&, const SubvolumeState&) = default;
};

struct EarlierScan {
  // With exact times, if the next scan reads them.
  std::shared_ptr<const Tree> tree;

  // ---- For engines that walk: what has changed since. Inodes whose metadata may have changed, and
  // directories whose names may have changed, ascending, by device and number. Everything else is
  // taken as it was. Device numbers must not have changed.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changed = {};

  // ---- For engines that read in bulk, and find out what has changed.

  // When the scan started, in seconds since the epoch: a directory that had changed at that time or
  // later may have changed again since.
  std::int64_t started = 0;
  // The identity of each device of the tree, as in filesystem_id.h.
  std::map<std::uint64_t, std::string> filesystems = {};
  // By identity, of each subvolume of btrfs.
  std::map<std::string, SubvolumeState> transactions = {};
};

}  // namespace fathom::fs

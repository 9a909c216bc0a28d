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
  // By identity, the last transaction of each subvolume of btrfs (VolumeFacts::transaction).
  std::map<std::string, std::uint64_t> transactions = {};
};

}  // namespace fathom::fs

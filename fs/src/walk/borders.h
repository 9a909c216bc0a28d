// Borders: the directories that a walk does not enter, and why: other filesystems, automounts,
// kernel filesystems and tagged caches, as the selection says.
//
// Immutable, so thread-safe. System calls are made at the pace of the worker that asks.

#pragma once

#include <optional>

#include "fathom/fs/selection.h"
#include "walk/automounts.h"
#include "walk/directory.h"
#include "walk/worker.h"

namespace fathom::fs {

class Borders {
 public:
  explicit Borders(const Selection& selection) : selection_(selection) {}  // must outlive it

  // Whether a directory in the open directory `at` may be opened: not if that would trigger a
  // mount, or if the selection excludes the filesystem mounted there, on which it could hang.
  [[nodiscard]] bool may_open(const Directory& directory, int at, Worker& worker) const;

  // Whether the selection excludes an entry of the directory `in` (null: a root) because it is on
  // another filesystem than the root. Another filesystem has both another mount and another device.
  // A file of an overlay's lower layer and a btrfs subvolume have their own devices, on the same
  // mount; a second mount of the root's filesystem is another mount of the same device.
  [[nodiscard]] bool is_elsewhere(const Directory* in, const Entry& entry,
                                  std::uint64_t mount) const {
    return selection_.one_file_system && in != nullptr && entry.device != in->as().root_device &&
           mount != in->as().root_mount;
  }

  // The reason not to enter a directory that is open; nothing for a root.
  [[nodiscard]] std::optional<Excluded> reason_to_exclude(const Directory& directory,
                                                          int descriptor, const Entry& entry,
                                                          std::uint64_t mount,
                                                          Worker& worker) const;

 private:
  const Selection& selection_;
  const Automounts automounts_;
};

}  // namespace fathom::fs

// Volumes: the filesystems of a scan that are read in bulk, and why others are not.
//
// Thread-safe.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "fathom/fs/mounts.h"
#include "fathom/fs/scan.h"
#include "volume/volume.h"
#include "walk/directory.h"

namespace fathom::fs {

class Volumes {
 public:
  // The options must outlive it. Any thread calls `stopped`, which says whether to give up.
  Volumes(const ScanOptions& options, std::function<bool()> stopped);

  // The volume of an open directory that is its root or on another filesystem than its parent; null
  // if it has to be walked. The first call for a filesystem reads it, others wait for that.
  [[nodiscard]] const Volume* at(const Directory& directory, int descriptor, const Entry& entry,
                                 std::uint64_t mount);

  // What was decided, by device.
  [[nodiscard]] std::vector<VolumeFacts> facts() const;

 private:
  struct Slot {
    std::mutex mutex;  // held while the volume is read
    bool decided = false;
    std::uint64_t mount = 0;
    std::unique_ptr<const Volume> volume;  // or null
    VolumeFacts facts;
  };

  void decide(Slot& slot, int directory, const Entry& entry, std::uint64_t mount) const;
  [[nodiscard]] std::unique_ptr<const Volume> read(int directory, const Entry& entry,
                                                   const Mount& mount,
                                                   const std::vector<Mount>& mounts,
                                                   Engine type) const;

  const ScanOptions& options_;
  const std::function<bool()> stopped_;
  const bool wanted_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Slot> slots_;  // guarded by mutex_, but not their contents
};

}  // namespace fathom::fs

// Volumes: the filesystems of a scan that are read in bulk, and why others are not.
//
// Thread-safe.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "fathom/fs/mounts.h"
#include "fathom/fs/scan.h"
#include "volume/earlier_volume.h"
#include "volume/volume.h"
#include "walk/directory.h"

namespace fathom::fs {

struct VolumeMethod;

class Volumes {
 public:
  // The options must outlive it. Any thread calls `stopped`, which says whether to give up.
  Volumes(const ScanOptions& options, std::function<bool()> stopped);

  // The volume of an open directory that is its root or on another filesystem than its parent; null
  // if it has to be walked. The first call for a filesystem reads it; calls wait
  // while one is read.
  [[nodiscard]] const Volume* at(const Directory& directory, int descriptor, const Entry& entry,
                                 std::uint64_t mount);

  // The filesystem in a root that is a file or a device; null if it has none, or none is wanted.
  // `error`: an errno if it has one, or may have one, that cannot be read.
  [[nodiscard]] const Volume* image(const Directory& root, const Entry& entry, int& error);

  // What was decided, by device.
  [[nodiscard]] std::vector<VolumeFacts> facts() const;

 private:
  struct Slot {
    std::shared_ptr<const Volume> volume;  // or null
    VolumeFacts facts;
  };

  // An open directory, and how its filesystem can be read.
  struct Place {
    int directory;
    std::uint64_t device;
    std::uint64_t inode;
    const VolumeMethod* method;  // null if that is not asked
    bool is_whole;               // everything is below the directory, or is wanted anyway
  };

  [[nodiscard]] unsigned reading_threads() const;
  void decide(Slot& slot, int directory, const Entry& entry, std::uint64_t mount);
  [[nodiscard]] const EarlierScan* earlier();  // null if there is none
  [[nodiscard]] VolumeTables unchanged_tables(std::uint64_t device);
  [[nodiscard]] VolumeTables read(const Place& place, std::int64_t& since, VolumeFacts& facts);
  [[nodiscard]] std::optional<EarlierVolume> earlier_volume(const Place& place, VolumeFacts& facts,
                                                            std::uint64_t& transaction);
  template <class Read>
  void attempt(Slot& slot, Read read) const;
  [[nodiscard]] std::shared_ptr<const Volume> known_volume(std::uint64_t device) const;

  const ScanOptions& options_;
  const std::function<bool()> stopped_;
  const bool wanted_;
  mutable std::mutex mutex_;                    // held while a volume is read, so one at a time is
  std::shared_ptr<const EarlierScan> earlier_;  // guarded by mutex_, as are the next
  std::optional<EarlierTree> earlier_tree_;
  bool is_loaded_ = false;
  // By device and mount: a mount may show a part of the filesystem, or other users.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Slot> slots_;  // guarded by mutex_
};

}  // namespace fathom::fs

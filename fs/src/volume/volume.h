// Volume: a mounted filesystem whose inodes and names were read in bulk.
//
// Immutable, so thread-safe.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "volume/volume_reader.h"

namespace fathom::fs {

class Volume {
 public:
  // The names in directories where something else is mounted: they do not lead to the inodes of the
  // volume.
  using MountPoints = std::set<std::pair<std::uint64_t, std::string>>;

  // `since` as in VolumePlace.
  enum class Source : std::uint8_t {
    mounted,
    snapshot,  // a read-only copy: what is mounted may have changed
    image,     // is not mounted, so that nobody can be asked
  };
  Volume(std::uint64_t device, std::int64_t since, VolumeTables tables, MountPoints mount_points,
         Source source = Source::mounted)
      : device_(device),
        source_(source),
        since_(since),
        tables_(std::move(tables)),
        mount_points_(std::move(mount_points)) {}

  [[nodiscard]] std::uint64_t device() const { return device_; }
  [[nodiscard]] bool is_image() const { return source_ == Source::image; }
  [[nodiscard]] bool is_snapshot() const { return source_ == Source::snapshot; }
  [[nodiscard]] std::int64_t since() const { return since_; }
  [[nodiscard]] std::uint64_t inodes() const { return tables_.inodes.size(); }

  // What a name in a directory of the volume leads to; null if the kernel has to be asked.
  [[nodiscard]] const Inode* find(std::uint64_t directory, std::string_view name,
                                  std::uint64_t inode) const {
    return is_mount_point(directory, name) ? nullptr : tables_.inodes.find(inode);
  }

  // Null if the kernel has to be asked.
  [[nodiscard]] const Inode* inode(std::uint64_t number) const {
    return tables_.inodes.find(number);
  }
  // Whether names() has those of the directory; otherwise the kernel has to be asked.
  [[nodiscard]] bool lists(std::uint64_t directory) const {
    return inode(directory) != nullptr && tables_.names.knows(directory);
  }
  // The same for a directory that was not opened, whose name is in another one.
  [[nodiscard]] bool lists(std::uint64_t directory, std::uint64_t parent) const {
    return inode(directory) != nullptr && tables_.names.knows(directory, parent);
  }
  [[nodiscard]] const NameTable& names() const { return tables_.names; }

 private:
  [[nodiscard]] bool is_mount_point(std::uint64_t directory, std::string_view name) const {
    auto point = mount_points_.lower_bound(std::pair(directory, std::string()));
    while (point != mount_points_.end() && point->first == directory && point->second != name) {
      ++point;
    }
    return point != mount_points_.end() && point->first == directory;
  }

  std::uint64_t device_;
  Source source_;
  std::int64_t since_;
  VolumeTables tables_;
  MountPoints mount_points_;
};

}  // namespace fathom::fs

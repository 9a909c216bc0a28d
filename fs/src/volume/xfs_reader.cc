// read_xfs: the inodes of all allocation groups, by XFS_IOC_BULKSTAT (Linux 5.5).

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "os/volume_ops.h"
#include "volume/earlier_volume.h"
#include "volume/volume_reader.h"

namespace fathom::fs {

namespace {

// The kernel's struct xfs_bulkstat.
struct XfsRecord {
  std::uint64_t inode;
  std::uint64_t size;
  std::uint64_t blocks;  // of the filesystem
  std::uint64_t flags;
  std::int64_t atime, mtime, ctime, btime;
  std::uint32_t generation;
  std::uint32_t uid, gid;
  std::uint32_t project;
  std::uint32_t atime_rest, mtime_rest, ctime_rest, btime_rest;
  std::uint32_t block_bytes, device, copy_hint, extent_hint;
  std::uint32_t links;
  std::uint32_t extents, attribute_extents;
  std::uint16_t version, fork, sick, checked;
  std::uint16_t mode;
  std::uint16_t padding;
  std::uint64_t more[7];
};
static_assert(sizeof(XfsRecord) == 192);

constexpr std::size_t kRecords = 1024;  // at a time

Inode inode_of(const XfsRecord& record, std::uint32_t block_bytes) {
  return {.size = record.size,
          .blocks = record.blocks * (block_bytes / kBlockBytes),
          .mtime = nanoseconds_if_known(record.mtime, record.mtime_rest),
          .ctime = nanoseconds_if_known(record.ctime, record.ctime_rest),
          .btime = nanoseconds_if_known(record.btime, record.btime_rest),
          .uid = record.uid,
          .gid = record.gid,
          .links = record.links,
          .mode = record.mode};
}

// Whether the record is the final word: nothing has changed since, and all values have room.
bool is_certain(const XfsRecord& record, const Inode& inode, std::int64_t since) {
  return record.links != 0 && record.ctime < since && inode.mtime != kUnknownTime &&
         inode.ctime != kUnknownTime;
}

InodeTable::Part read_group(const VolumePlace& place, std::uint32_t group,
                            std::uint32_t block_bytes) {
  InodeTable::Part part;
  std::vector<std::byte> buffer(os::kXfsRequest + kRecords * sizeof(XfsRecord));
  std::uint64_t from = 0;
  for (;;) {
    if (place.stopped()) throw base::Error("the scan was stopped");
    const int count = os::bulkstat_xfs(place.directory, group, from, buffer);
    if (count < 0) {
      throw base::Error("its inodes cannot be read in bulk: " + refusal(-count));
    }
    if (count == 0) break;
    for (int i = 0; i < count; ++i) {
      XfsRecord record;
      const std::size_t at = os::kXfsRequest + static_cast<std::size_t>(i) * sizeof record;
      std::memcpy(&record, buffer.data() + at, sizeof record);
      const Inode inode = inode_of(record, block_bytes);
      if (is_certain(record, inode, place.since)) part.add(record.inode, inode);
    }
  }
  return part;
}

}  // namespace

VolumeTables read_xfs(const VolumePlace& place) {
  os::XfsGeometry geometry;
  if (os::xfs_geometry(place.directory, geometry) < 0) {
    throw base::Error("its geometry cannot be read");
  }
  rt::Executor executor({.threads = std::max(place.threads, 1U), .name = "fathom xfs"});
  std::vector<InodeTable::Part> parts(geometry.groups);
  rt::parallel_for(executor, 0U, geometry.groups, [&](std::uint32_t group) {
    parts[group] = read_group(place, group, geometry.block_bytes);
  });
  VolumeTables tables{.inodes = InodeTable(std::move(parts)), .names = {}};
  if (place.earlier != nullptr) {
    std::vector<NameTable::Part> names;
    names.push_back(place.earlier->names([&](std::uint64_t number) {
      const Inode* const now = tables.inodes.find(number);
      return now != nullptr && place.earlier->has_names_of(number, *now);
    }));
    tables.names = NameTable(std::move(names));
  }
  return tables;
}

}  // namespace fathom::fs

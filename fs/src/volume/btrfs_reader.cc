// read_btrfs: the tree of a subvolume, by BTRFS_IOC_TREE_SEARCH_V2 (Linux 3.16).
//
// The search sees the current tree. Changes that are still delayed are not in it, and leave the
// older state, which flushing made at least as new as the start of the read. Inode numbers are not
// used again while the filesystem is mounted, so a name never leads to an inode that another file
// had before.
//
// A directory that changes while its names are read might show a name twice, or neither the old nor
// the new one. So at the end the parts of the tree that have changed since the last commit are
// searched again: what directories they have names of is asked of the kernel.

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "os/volume_ops.h"
#include "volume/btrfs_format.h"
#include "volume/earlier_volume.h"
#include "volume/volume_reader.h"

namespace fathom::fs {

namespace {

constexpr std::uint64_t kFirstInode = 256;
constexpr std::uint64_t kLastInode = static_cast<std::uint64_t>(-256);

// Only items in parts of the tree that were written in the transaction `since` or later.
int search(const VolumePlace& place, const os::BtrfsKey& first, std::uint64_t last,
           std::span<std::byte> buffer, std::uint64_t since = 0) {
  if (place.stopped()) throw base::Error("the scan was stopped");
  const int count = os::search_btrfs(place.directory, first, last, since, buffer);
  if (count < 0) {
    throw base::Error("its tree cannot be searched: " + refusal(-count));
  }
  return count;
}

// Whether the subvolume has an inode with that number or a higher one.
bool has_from(const VolumePlace& place, std::uint64_t inode) {
  std::vector<std::byte> buffer(os::kBtrfsRequest + 64 * 1024);
  return search(place, {.object = inode}, kLastInode, buffer) > 0;
}

// The highest inode number: a binary search for it.
std::uint64_t last_inode(const VolumePlace& place) {
  std::uint64_t low = kFirstInode;
  std::uint64_t high = kLastInode;
  // Most subvolumes are small in comparison with the range.
  for (std::uint64_t guess = 1 << 16; guess < high; guess *= 16) {
    if (!has_from(place, guess)) {
      high = guess;
      break;
    }
    low = guess;
    if (guess > kLastInode / 16) break;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (has_from(place, middle) ? low : high) = middle;
  }
  return low;
}

// Moves the key behind itself; false at the end.
bool advance(os::BtrfsKey& key) {
  constexpr std::uint32_t kExtentData =
      108;  // the last type of an inode, and often the largest part
  if (key.type < kExtentData) {
    if (++key.offset == 0) ++key.type;
    return true;
  }
  key.offset = 0;
  key.type = 0;
  return ++key.object != 0;
}

// The inode of an item, unless it is in doubt.
std::optional<Inode> certain_inode(const VolumePlace& place, const btrfs::Item& item,
                                   std::uint32_t block_bytes) {
  auto inode = btrfs::parse_inode(item.data, block_bytes);
  return inode && base::whole_seconds(inode->ctime) < place.since ? inode : std::nullopt;
}

// Calls function(item) for all items of a range of objects, except some whose type is beyond those
// of names, until it returns false.
template <class Function>
void for_each_item(const VolumePlace& place, std::uint64_t first, std::uint64_t last,
                   std::uint64_t since, Function&& function) {
  constexpr std::size_t kBufferBytes = std::size_t{128} * 1024;
  std::vector<std::byte> buffer(os::kBtrfsRequest + kBufferBytes);
  os::BtrfsKey next{.object = first};
  while (int count = search(place, next, last, buffer, since)) {
    btrfs::Bytes rest = btrfs::Bytes(buffer).subspan(os::kBtrfsRequest);
    for (; count > 0; --count) {
      const auto item = btrfs::take_item(rest);
      if (!item) throw base::Error("the kernel returned an item that is not whole");
      if (!function(*item)) return;
      next = {.object = item->object, .offset = item->offset, .type = item->type};
    }
    if (!advance(next) || next.object > last) return;
  }
}

// The directories whose names have changed since a transaction.
std::vector<std::uint64_t> changed_directories(const VolumePlace& place, std::uint64_t since) {
  std::vector<std::uint64_t> changed;
  for_each_item(place, kFirstInode, kLastInode, since, [&](const btrfs::Item& item) {
    if (item.type == btrfs::kDirIndex && (changed.empty() || changed.back() != item.object)) {
      changed.push_back(item.object);
    }
    return true;
  });
  return changed;
}

// Reads the objects of a range.
class RangeReader {
 public:
  RangeReader(const VolumePlace& place, std::uint32_t block_bytes, InodeTable::Part& inodes,
              NameTable::Part& names)
      : place_(place), block_bytes_(block_bytes), inodes_(inodes), names_(names) {}

  void read(std::uint64_t first, std::uint64_t last) {
    for_each_item(place_, first, last, 0, [&](const btrfs::Item& item) {
      add(item);
      return true;
    });
    finish_directory();
  }

 private:
  void add(const btrfs::Item& item) {
    if (item.type == btrfs::kInodeItem) {
      finish_directory();
      add_inode(item);
    } else if (item.type == btrfs::kInodeRef && is_directory_ && item.object == object_) {
      parent_ = item.offset;
    } else if (item.type == btrfs::kDirIndex && is_directory_ && item.object == object_) {
      add_name(item);
    }
  }

  void add_inode(const btrfs::Item& item) {
    object_ = item.object;
    parent_ = 0;
    begun_ = false;
    const auto inode = certain_inode(place_, item, block_bytes_);
    is_directory_ = inode && (inode->mode & S_IFMT) == S_IFDIR;
    if (inode) inodes_.add(item.object, *inode);
  }

  void add_name(const btrfs::Item& item) {
    begin_directory();
    if (const auto name = btrfs::parse_name(item.data)) {
      names_.add(name->name, name->inode, name->type);
    } else {
      inodes_.forget(object_);  // ask the kernel for all names
    }
  }

  void begin_directory() {
    if (!std::exchange(begun_, true)) names_.begin(object_, parent_);
  }
  // Empty directories are known, too.
  void finish_directory() {
    if (is_directory_) begin_directory();
    is_directory_ = false;
  }

  const VolumePlace& place_;
  const std::uint32_t block_bytes_;
  InodeTable::Part& inodes_;
  NameTable::Part& names_;

  // The last inode.
  std::uint64_t object_ = 0;
  std::uint64_t parent_ = 0;
  bool is_directory_ = false;  // and its names are wanted
  bool begun_ = false;
};

// The inodes that were changed in the transaction `since` or later, ascending; nothing if there are
// so many that they would not be worth it.
class ChangesReader {
 public:
  explicit ChangesReader(const VolumePlace& place)
      : place_(place), block_bytes_(os::block_bytes(place.directory)) {}

  [[nodiscard]] std::optional<std::vector<ChangedInode>> read(std::uint64_t since) {
    for_each_item(place_, kFirstInode, kLastInode, since, [&](const btrfs::Item& item) {
      if (item.type == btrfs::kInodeItem && !too_many_) add(item, since);
      return !too_many_;
    });
    return too_many_ ? std::nullopt : std::optional(std::move(changed_));
  }

 private:
  void add(const btrfs::Item& item, std::uint64_t since) {
    // A part of the tree also has inodes that did not change.
    const auto transaction = btrfs::parse_transaction(item.data);
    if (transaction && *transaction < since) return;
    const Inode inode = certain_inode(place_, item, block_bytes_).value_or(Inode());
    changed_.push_back({.number = item.object, .inode = inode});
    const bool may_be_directory = inode.mode == 0 || (inode.mode & S_IFMT) == S_IFDIR;
    if (may_be_directory && !place_.earlier->has_names_of(item.object, inode)) ++to_list_;
    // Listing a directory is some ten times slower than reading it in bulk.
    constexpr std::size_t kFew = 1000;
    too_many_ = to_list_ > kFew + place_.earlier->directories() / 8 ||
                changed_.size() > kFew + place_.earlier->entries() / 2;
  }

  const VolumePlace& place_;
  const std::uint32_t block_bytes_;
  std::vector<ChangedInode> changed_;
  std::size_t to_list_ = 0;  // directories whose names are unknown
  bool too_many_ = false;
};

}  // namespace

std::optional<VolumeTables> renew_btrfs(const VolumePlace& place, std::uint64_t entered,
                                        std::uint64_t since) {
  auto changed = ChangesReader(place).read(since + 1);
  if (!changed) return std::nullopt;
  // The earlier scan opened this directory before it knew the transaction.
  const auto at = std::lower_bound(
      changed->begin(), changed->end(), entered,
      [](const ChangedInode& one, std::uint64_t number) { return one.number < number; });
  if (at != changed->end() && at->number == entered) {
    at->inode.mode = 0;
  } else {
    changed->insert(at, {.number = entered});
  }
  return place.earlier->tables(*changed);
}

VolumeTables read_btrfs(const VolumePlace& place) {
  constexpr std::uint64_t kRangesPerThread = 16;
  const std::uint32_t block_bytes = os::block_bytes(place.directory);
  os::BtrfsSubvolume subvolume;
  if (os::btrfs_subvolume(place.directory, subvolume) < 0) {
    throw base::Error("its last transaction is unknown (Linux 4.18 tells it)");
  }
  const std::uint64_t end = last_inode(place) + 1;
  const std::uint64_t all = end - kFirstInode;
  const std::uint64_t ranges = std::min(all, kRangesPerThread * std::max(place.threads, 1U));
  std::vector<InodeTable::Part> inodes(ranges);
  std::vector<NameTable::Part> names(ranges);
  rt::Executor executor({.threads = std::max(place.threads, 1U), .name = "fathom btrfs"});
  rt::parallel_for(executor, std::uint64_t{0}, ranges, [&](std::uint64_t range) {
    const std::uint64_t first = kFirstInode + all / ranges * range;
    const std::uint64_t last = range + 1 == ranges ? end - 1 : first + all / ranges - 1;
    RangeReader(place, block_bytes, inodes[range], names[range]).read(first, last);
  });
  VolumeTables tables{.inodes = InodeTable(std::move(inodes)),
                      .names = NameTable(std::move(names))};
  for (const std::uint64_t directory : changed_directories(place, subvolume.generation + 1)) {
    tables.inodes.forget(directory);
  }
  return tables;
}

}  // namespace fathom::fs

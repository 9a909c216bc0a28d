// The system calls that read a mounted filesystem in bulk. None changes anything, except that
// flush() writes what is cached.
//
// Functions that return int return 0 or more on success and -errno on failure, -ENOTSUP on systems
// other than Linux.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::fs::os {

// The types of filesystems that have tables of inodes.
enum class VolumeType : std::uint8_t { other, btrfs, ext4, xfs };

VolumeType volume_type(int directory);

// Whether the open directory is the topmost one of its mount.
bool is_top_of_mount(int directory);

// Whether this process sees user and group ids as the filesystem stores them: it is not in a user
// namespace that maps them.
bool sees_stored_ids();

// Whether it may open any block device, but for special capabilities.
bool is_root();

// Writes what is cached of the filesystem of the open directory: data that is not written yet may
// have no blocks yet.
int flush(int directory);

// Seconds since the epoch, by the clock that filesystems use for the times of files.
std::int64_t file_clock_seconds();

// Opens the block device with that number for reading.
int open_block_device(std::uint64_t device);

// Opens a regular file or a block device for reading; -ENODEV if it is something else. `allocated`:
// the bytes that it has on its disk, of a device as many as there are numbers for.
int open_image(int at, const char* name, std::uint64_t& allocated);

// Reads exactly that many bytes; -EIO if there are fewer.
int read_exactly(int file, std::span<std::byte> to, std::uint64_t offset);

// Tells the kernel what will be read soon.
void will_read(int file, std::uint64_t offset, std::uint64_t bytes);

// A key in a tree of btrfs.
struct BtrfsKey {
  std::uint64_t object = 0;
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
};

// Copies items of the tree of the subvolume of the open directory into the buffer, behind
// kBtrfsRequest bytes: from `first` on, up to the object `last_object`, as many as have room; only
// those in parts of the tree that were written in the transaction `since` or later. Each is a
// btrfs_ioctl_search_header and its data. Returns how many; 0 at the end.
inline constexpr std::size_t kBtrfsRequest = 112;
int search_btrfs(int directory, const BtrfsKey& first, std::uint64_t last_object,
                 std::uint64_t since, std::span<std::byte> buffer);
// The subvolume of the open directory.
struct BtrfsSubvolume {
  // The last transaction that was committed to it; of one that is new, the one in which it was
  // made, which may still go on.
  std::uint64_t generation = 0;
  std::uint64_t made = 0;  // the transaction in which it was made; 0: with the filesystem
  std::array<std::uint8_t, 16> uuid{};
};
int btrfs_subvolume(int directory, BtrfsSubvolume& subvolume);
// The bytes of the filesystem's blocks.
std::uint32_t block_bytes(int directory);

// Reads inodes of an allocation group of an XFS into the buffer, behind kXfsRequest bytes, in the
// layout of xfs_bulkstat, from the inode `from` on, and moves `from` behind the last one. Returns
// how many; 0 at the end.
inline constexpr std::size_t kXfsRequest = 64;
int bulkstat_xfs(int directory, std::uint32_t group, std::uint64_t& from,
                 std::span<std::byte> buffer);
// The number of its allocation groups, and the bytes of its blocks.
struct XfsGeometry {
  std::uint32_t groups = 0;
  std::uint32_t block_bytes = 0;
};
int xfs_geometry(int directory, XfsGeometry& geometry);

}  // namespace fathom::fs::os

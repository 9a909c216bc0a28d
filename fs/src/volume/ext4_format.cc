// The structures of ext4: superblock, group descriptors, inodes, extents, blocks of directories.

#include "volume/ext4_format.h"

#include <sys/stat.h>

#include <array>
#include <limits>

#include "fathom/fs/tree.h"
#include "volume/crc32c.h"

namespace fathom::fs::ext4 {

namespace {

constexpr std::size_t kOldInode = 128;  // bytes of an inode without extra fields
constexpr std::uint16_t kMagic = 0xef53;
constexpr std::uint8_t kCrc32c = 1;
constexpr std::uint32_t kLargestDescriptor = 1024;  // bytes

// Features that change the meaning of what is read here. The reader knows: types in directories,
// a journal that is in use, extents, 64-bit block numbers, protection against a second mount,
// groups of groups, values of attributes in inodes, a seed of its own, large directories, data in
// inodes, encryption, names that ignore case.
constexpr std::uint32_t kFileTypes = 0x2;
constexpr std::uint32_t kJournalInUse = 0x4;
constexpr std::uint32_t k64Bit = 0x80;
constexpr std::uint32_t kOwnSeed = 0x2000;
constexpr std::uint32_t kLargeDirectories = 0x4000;
constexpr std::uint32_t kKnown = kFileTypes | kJournalInUse | 0x40 | k64Bit | 0x100 | 0x200 |
                                 0x400 | kOwnSeed | kLargeDirectories | 0x8000 | 0x10000 | 0x20000;
// Of those that only writers must know: huge files, checksums, snapshots, replicas.
constexpr std::uint32_t kHugeFiles = 0x8;
constexpr std::uint32_t kChecksums = 0x400;
constexpr std::uint32_t kUnknownReadOnly = 0x80 | 0x800 | ~std::uint32_t{0x1ffff};

// Flags of inodes.
constexpr std::uint32_t kEncrypted = 0x800;
constexpr std::uint32_t kIndexed = 0x1000;
constexpr std::uint32_t kHugeFile = 0x40000;
constexpr std::uint32_t kHasExtents = 0x80000;
constexpr std::uint32_t kInlineData = 0x10000000;

constexpr std::size_t kExtentBytes = 12;  // also of the header of a node
constexpr std::uint16_t kExtentMagic = 0xf30a;

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

std::uint32_t crc_of(std::uint32_t crc, std::uint32_t number) {
  const std::array<std::byte, 4> bytes = {std::byte(number), std::byte(number >> 8),
                                          std::byte(number >> 16), std::byte(number >> 24)};
  return crc32c(crc, bytes);
}

// The checksum of bytes that contain a checksum, which counts as zero there.
std::uint32_t crc_around(std::uint32_t crc, Bytes bytes, std::size_t at, std::size_t size) {
  constexpr std::array<std::byte, 4> kZero{};
  crc = crc32c(crc, bytes.first(at));
  crc = crc32c(crc, std::span(kZero).first(size));
  return crc32c(crc, bytes.subspan(at + size));
}

[[noreturn]] void refuse(const std::string& why) {
  throw base::Error(why);
}

// ---- Inodes

// Bytes of fields behind the first kOldInode, as stored.
std::size_t stored_extra_bytes(Bytes raw) {
  return raw.size() > kOldInode ? le16(raw, 0x80) : 0;
}

// The same as the kernel counts them: if none are in use, it uses all that it knows.
std::size_t extra_bytes(Bytes raw) {
  constexpr std::size_t kKnownExtra = 32;
  const std::size_t stored = stored_extra_bytes(raw);
  return stored == 0 && raw.size() > kOldInode ? kKnownExtra : stored;
}

// Whether the inode has the field that ends there.
bool has_until(Bytes raw, std::size_t end) {
  return end <= kOldInode || end <= kOldInode + extra_bytes(raw);
}

bool is_sound(const Super& super, std::uint64_t number, Bytes raw, std::uint32_t& seed) {
  if (raw.size() > kOldInode &&
      (extra_bytes(raw) > raw.size() - kOldInode || extra_bytes(raw) % 4 != 0)) {
    return false;
  }
  seed = crc_of(crc_of(super.seed, static_cast<std::uint32_t>(number)), le32(raw, 0x64));
  std::uint32_t crc = crc_around(seed, raw.first(kOldInode), 0x7c, 2);
  const Bytes more = raw.subspan(kOldInode);
  const bool is_wide = kOldInode + stored_extra_bytes(raw) >= 0x84;
  if (is_wide) {
    crc = crc_around(crc, more, 2, 2);
    return crc == (le16(raw, 0x7c) | std::uint32_t{le16(raw, 0x82)} << 16);
  }
  return (crc32c(crc, more) & 0xffff) == le16(raw, 0x7c);
}

std::int64_t time_of(Bytes raw, std::size_t at, std::size_t extra_at) {
  std::int64_t seconds = static_cast<std::int32_t>(le32(raw, at));
  std::uint32_t rest = 0;
  if (has_until(raw, extra_at + 4)) {
    const std::uint32_t extra = le32(raw, extra_at);
    seconds += static_cast<std::int64_t>(extra & 3) << 32;
    rest = extra >> 2;
  }
  return nanoseconds_if_known(seconds, rest);
}

std::uint64_t blocks_of(const Super& super, Bytes raw) {
  const std::uint32_t flags = le32(raw, 0x20);
  std::uint64_t blocks = le32(raw, 0x1c);
  if (super.huge_files) {
    blocks |= std::uint64_t{le16(raw, 0x74)} << 32;
    if ((flags & kHugeFile) != 0) blocks *= super.block_bytes / kBlockBytes;
  }
  return blocks;
}

bool is_kind(std::uint16_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFLNK:
    case S_IFCHR:
    case S_IFBLK:
    case S_IFIFO:
    case S_IFSOCK:
      return true;
    default:
      return false;
  }
}

// What stat(2) says; false if only the kernel can tell.
bool read_facts(const Super& super, Bytes raw, Inode& inode) {
  const std::uint32_t flags = le32(raw, 0x20);
  inode.mode = le16(raw, 0);
  if (!is_kind(inode.mode)) return false;
  const bool is_file = S_ISREG(inode.mode);
  // The size of the target depends on the key.
  if (S_ISLNK(inode.mode) && (flags & kEncrypted) != 0) return false;
  inode.size = le32(raw, 4);
  if (is_file || super.large_directories) inode.size |= std::uint64_t{le32(raw, 0x6c)} << 32;
  if (inode.size > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return false;
  inode.blocks = blocks_of(super, raw);
  // The kernel claims a block for data in the inode, so that no program takes it for a hole.
  if (is_file && (flags & kInlineData) != 0) {
    inode.blocks += (inode.size + kBlockBytes - 1) / kBlockBytes;
  }
  inode.uid = le16(raw, 2) | std::uint32_t{le16(raw, 0x78)} << 16;
  inode.gid = le16(raw, 0x18) | std::uint32_t{le16(raw, 0x7a)} << 16;
  inode.links = le16(raw, 0x1a);
  inode.mtime = time_of(raw, 0x10, 0x88);
  inode.ctime = time_of(raw, 0xc, 0x84);
  inode.btime =
      raw.size() > kOldInode && has_until(raw, 0x94) ? time_of(raw, 0x90, 0x94) : kUnknownTime;
  return inode.mtime != kUnknownTime && inode.ctime != kUnknownTime;
}

// ---- Extents

struct ExtentHeader {
  std::uint16_t entries = 0;
  std::uint16_t most = 0;
  std::uint16_t depth = 0;
};

std::optional<ExtentHeader> parse_header(Bytes node) {
  const ExtentHeader header{
      .entries = le16(node, 2), .most = le16(node, 4), .depth = le16(node, 6)};
  const std::size_t room = node.size() / kExtentBytes - 1;
  if (le16(node, 0) != kExtentMagic || header.entries > header.most || header.most > room) {
    return std::nullopt;
  }
  return header;
}

// Each must begin where the one before ends: a directory has no holes.
bool parse_leaf(Bytes node, std::size_t entries, std::vector<Extent>& extents) {
  constexpr std::uint32_t kMostInitialized = 32768;
  for (std::size_t i = 1; i <= entries; ++i) {
    const Bytes entry = node.subspan(i * kExtentBytes, kExtentBytes);
    const Extent extent{.at = le32(entry, 0),
                        .blocks = le16(entry, 4),
                        .on_disk = joined(le16(entry, 6), le32(entry, 8))};
    const std::uint64_t end =
        extents.empty() ? 0 : std::uint64_t{extents.back().at} + extents.back().blocks;
    if (extent.at != end || extent.blocks == 0 || extent.blocks > kMostInitialized) return false;
    extents.push_back(extent);
  }
  return true;
}

// Where the names of a directory are; false if only the kernel can tell.
bool locate_names(const Super& super, Bytes raw, const Inode& inode, DirectoryInode& directory) {
  const std::uint32_t flags = le32(raw, 0x20);
  if ((flags & (kEncrypted | kInlineData)) != 0 || (flags & kHasExtents) == 0) return false;
  if (inode.size == 0 || inode.size % super.block_bytes != 0) return false;
  const std::uint64_t blocks = inode.size / super.block_bytes;
  if (blocks > std::numeric_limits<std::uint32_t>::max()) return false;
  directory.blocks = static_cast<std::uint32_t>(blocks);
  directory.indexed = (flags & kIndexed) != 0;
  directory.extents.clear();
  directory.nodes.clear();
  const Bytes node = raw.subspan(0x28, 60);
  const auto header = parse_header(node);
  if (!header || header->depth > 1) return false;
  if (header->depth == 0) return parse_leaf(node, header->entries, directory.extents);
  for (std::size_t i = 1; i <= header->entries; ++i) {
    const Bytes entry = node.subspan(i * kExtentBytes, kExtentBytes);
    directory.nodes.push_back(joined(le16(entry, 8), le32(entry, 4)));
  }
  return !directory.nodes.empty();
}

}  // namespace

bool has_magic(Bytes bytes) {
  return bytes.size() >= kSuperBytes && le16(bytes, 0x38) == kMagic;
}

Super parse_super(Bytes bytes) {
  if (!has_magic(bytes)) refuse("it is not an ext4");
  const std::uint32_t incompatible = le32(bytes, 0x60);
  const std::uint32_t read_only = le32(bytes, 0x64);
  if ((read_only & kChecksums) == 0 || static_cast<std::uint8_t>(bytes[0x175]) != kCrc32c) {
    refuse("its metadata has no checksums (the feature metadata_csum)");
  }
  if (crc32c(~0U, bytes.first(0x3fc)) != le32(bytes, 0x3fc)) {
    refuse("the checksum of its superblock is wrong");
  }
  if ((incompatible & ~kKnown) != 0 || (read_only & kUnknownReadOnly) != 0 ||
      (incompatible & kFileTypes) == 0) {
    refuse("it has features that are not known here");
  }
  Super super;
  const std::uint32_t block_shift = le32(bytes, 0x18);
  if (block_shift > 6) refuse("its blocks are larger than 64 KiB");
  super.block_bytes = 1024U << block_shift;
  super.inode_bytes = le16(bytes, 0x58);
  const bool is_64_bit = (incompatible & k64Bit) != 0;
  super.descriptor_bytes = is_64_bit ? le16(bytes, 0xfe) : 32;
  super.inodes_per_group = le32(bytes, 0x28);
  const std::uint32_t first_block = le32(bytes, 0x14);
  super.blocks = joined(is_64_bit ? le32(bytes, 0x150) : 0, le32(bytes, 4));
  const std::uint32_t group_blocks = le32(bytes, 0x20);
  const auto is_power = [](std::uint32_t number) { return (number & (number - 1)) == 0; };
  if (super.inode_bytes < kOldInode || super.inode_bytes > super.block_bytes ||
      !is_power(super.inode_bytes) || super.descriptor_bytes < 32 ||
      super.descriptor_bytes > std::min(super.block_bytes, kLargestDescriptor) ||
      !is_power(super.descriptor_bytes) ||
      super.inodes_per_group < super.block_bytes / super.inode_bytes ||
      super.inodes_per_group > 8 * super.block_bytes || group_blocks == 0 ||
      first_block >= super.blocks) {
    refuse("its superblock makes no sense");
  }
  const std::uint64_t groups = (super.blocks - first_block - 1) / group_blocks + 1;
  if (groups > std::numeric_limits<std::uint32_t>::max() / super.inodes_per_group) {
    refuse("its superblock makes no sense");
  }
  super.groups = static_cast<std::uint32_t>(groups);
  super.seed =
      (incompatible & kOwnSeed) != 0 ? le32(bytes, 0x270) : crc32c(~0U, bytes.subspan(0x68, 16));
  super.huge_files = (read_only & kHugeFiles) != 0;
  super.needs_recovery = (incompatible & kJournalInUse) != 0;
  super.large_directories = (incompatible & kLargeDirectories) != 0;
  return super;
}

std::optional<Group> parse_group(const Super& super, std::uint32_t group, Bytes descriptor) {
  constexpr std::uint16_t kNoInodes = 1;
  const std::uint32_t crc = crc_around(crc_of(super.seed, group), descriptor, 0x1e, 2);
  if ((crc & 0xffff) != le16(descriptor, 0x1e)) return std::nullopt;
  if ((le16(descriptor, 0x12) & kNoInodes) != 0) return Group();
  const bool is_wide = descriptor.size() >= 64;
  const std::uint32_t never_used =
      le16(descriptor, 0x1c) | (is_wide ? std::uint32_t{le16(descriptor, 0x32)} << 16 : 0);
  const Group found{
      .table = joined(is_wide ? le32(descriptor, 0x28) : 0, le32(descriptor, 8)),
      .inodes = super.inodes_per_group - std::min(never_used, super.inodes_per_group)};
  const std::uint64_t table_bytes = std::uint64_t{super.inodes_per_group} * super.inode_bytes;
  const std::uint64_t table_blocks = (table_bytes - 1) / super.block_bytes + 1;
  if (found.table >= super.blocks || super.blocks - found.table < table_blocks) return std::nullopt;
  return found;
}

void parse_inode(const Super& super, std::uint64_t number, Bytes raw, ParsedInode& to) {
  to.found = Found::unused;
  if (le16(raw, 0x1a) == 0) return;  // no name
  to.found = Found::doubtful;
  if (!is_sound(super, number, raw, to.directory.seed)) return;
  if (!read_facts(super, raw, to.inode)) return;
  const bool has_names = S_ISDIR(to.inode.mode) && locate_names(super, raw, to.inode, to.directory);
  to.found = has_names ? Found::directory : Found::inode;
}

std::int64_t change_seconds(Bytes raw) {
  std::int64_t seconds = static_cast<std::int32_t>(le32(raw, 0xc));
  if (has_until(raw, 0x88)) seconds += static_cast<std::int64_t>(le32(raw, 0x84) & 3) << 32;
  return seconds;
}

bool parse_extent_block(std::uint32_t seed, Bytes block, std::vector<Extent>& extents) {
  const auto header = parse_header(block);
  if (!header || header->depth != 0) return false;
  const std::size_t end = kExtentBytes * (std::size_t{header->most} + 1);
  if (end + 4 > block.size() || crc32c(seed, block.first(end)) != le32(block, end)) return false;
  return parse_leaf(block, header->entries, extents);
}

// A leaf ends with an entry without a name, which holds the checksum. In an index, entries without
// names hide the numbers of blocks from old kernels; the checksum is behind the room for these.
DirectoryBlock check_directory_block(std::uint32_t seed, Bytes block, bool index, bool first) {
  constexpr std::size_t kTail = 12;
  constexpr std::uint8_t kTailType = 0xde;
  const std::size_t tail = block.size() - kTail;
  const bool looks_like_leaf = le32(block, tail) == 0 && le16(block, tail + 4) == kTail &&
                               block[tail + 6] == std::byte{0} &&
                               block[tail + 7] == std::byte{kTailType};
  if (looks_like_leaf && crc32c(seed, block.first(tail)) == le32(block, tail + 8)) {
    return DirectoryBlock::names;
  }
  if (!index) return DirectoryBlock::wrong;
  const std::size_t counts = first ? 32 : 8;
  const std::size_t most = le16(block, counts);
  const std::size_t count = le16(block, counts + 2);
  const std::size_t end = counts + 8 * most;
  if (count > most || end + 8 > block.size()) return DirectoryBlock::wrong;
  std::uint32_t crc = crc32c(seed, block.first(counts + 8 * count));
  crc = crc_around(crc, block.subspan(end, 8), 4, 4);
  return crc == le32(block, end + 4) ? DirectoryBlock::index : DirectoryBlock::wrong;
}

}  // namespace fathom::fs::ext4

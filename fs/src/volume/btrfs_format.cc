// The items of btrfs: little-endian, without alignment.

#include "volume/btrfs_format.h"

#include <sys/stat.h>

#include <cstring>
#include <limits>

#include "fathom/fs/tree.h"
#include "volume/name_table.h"

namespace fathom::fs::btrfs {

namespace {

constexpr std::size_t kInodeBytes = 160;

template <class Number>
Number number_at(Bytes bytes, std::size_t at) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number |= static_cast<Number>(static_cast<Number>(bytes[at + i]) << (8 * i));
  }
  return number;
}

// A header is not of the disk, so it has the byte order of the machine.
template <class Number>
Number native_at(Bytes bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::int64_t time_at(Bytes bytes, std::size_t at) {
  return nanoseconds_if_known(static_cast<std::int64_t>(number_at<std::uint64_t>(bytes, at)),
                              number_at<std::uint32_t>(bytes, at + 8));
}

}  // namespace

std::optional<Item> take_item(Bytes& buffer) {
  constexpr std::size_t kHeader = 32;
  if (buffer.size() < kHeader) return std::nullopt;
  Item item{.object = native_at<std::uint64_t>(buffer, 8),
            .offset = native_at<std::uint64_t>(buffer, 16),
            .type = native_at<std::uint32_t>(buffer, 24),
            .data = {}};
  const std::size_t length = native_at<std::uint32_t>(buffer, 28);
  if (buffer.size() - kHeader < length) return std::nullopt;
  item.data = buffer.subspan(kHeader, length);
  buffer = buffer.subspan(kHeader + length);
  return item;
}

std::optional<Inode> parse_inode(Bytes data, std::uint32_t block_bytes) {
  if (data.size() < kInodeBytes || block_bytes == 0) return std::nullopt;
  const auto bytes = number_at<std::uint64_t>(data, 24);
  const auto mode = number_at<std::uint32_t>(data, 52);
  const Inode inode{.size = number_at<std::uint64_t>(data, 16),
                    // The kernel rounds up what small files have inside of the tree.
                    .blocks = (bytes / block_bytes + (bytes % block_bytes != 0 ? 1 : 0)) *
                              (block_bytes / kBlockBytes),
                    .mtime = time_at(data, 136),
                    .ctime = time_at(data, 124),
                    .btime = time_at(data, 148),
                    .uid = number_at<std::uint32_t>(data, 44),
                    .gid = number_at<std::uint32_t>(data, 48),
                    .links = number_at<std::uint32_t>(data, 40),
                    .mode = static_cast<std::uint16_t>(mode)};
  const bool makes_sense =
      inode.links != 0 && inode.size <= std::uint64_t{std::numeric_limits<std::int64_t>::max()} &&
      mode <= std::numeric_limits<std::uint16_t>::max() && (mode & S_IFMT) != 0 &&
      inode.mtime != kUnknownTime && inode.ctime != kUnknownTime;
  return makes_sense ? std::optional(inode) : std::nullopt;
}

std::optional<std::uint64_t> parse_transaction(Bytes data) {
  if (data.size() < kInodeBytes) return std::nullopt;
  return number_at<std::uint64_t>(data, 8);
}

std::optional<Name> parse_name(Bytes data) {
  constexpr std::size_t kHeader = 30;
  constexpr std::uint8_t kEncrypted = 0x80;
  if (data.size() < kHeader) return std::nullopt;
  const std::size_t length = number_at<std::uint16_t>(data, 27);
  const auto type = static_cast<std::uint8_t>(data[29]);
  if (length == 0 || length > 255 || data.size() - kHeader < length || (type & kEncrypted) != 0) {
    return std::nullopt;
  }
  const std::string_view name(reinterpret_cast<const char*>(data.data()) + kHeader, length);
  if (name == "." || name == ".." || name.find('\0') != name.npos || name.find('/') != name.npos) {
    return std::nullopt;
  }
  const bool is_inode = static_cast<std::uint8_t>(data[8]) == kInodeItem;
  return Name{.name = name,
              .inode = is_inode ? number_at<std::uint64_t>(data, 0) : 0,
              .type = stored_type(type)};
}

}  // namespace fathom::fs::btrfs

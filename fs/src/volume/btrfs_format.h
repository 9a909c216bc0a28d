// The items of a tree of btrfs, as BTRFS_IOC_TREE_SEARCH_V2 returns them.
//
// Each function accepts any bytes, and refuses what it does not understand.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "volume/inode_table.h"

namespace fathom::fs::btrfs {

using Bytes = std::span<const std::byte>;

// Types of items.
inline constexpr std::uint32_t kInodeItem = 1;
inline constexpr std::uint32_t kInodeRef = 12;
inline constexpr std::uint32_t kDirIndex = 96;

struct Item {
  std::uint64_t object = 0;  // an inode
  std::uint64_t offset = 0;  // of kInodeRef: the directory that has the name
  std::uint32_t type = 0;
  Bytes data;
};

// The first item of a buffer, which is removed from it; nothing if it is not whole.
[[nodiscard]] std::optional<Item> take_item(Bytes& buffer);

// kInodeItem. Nothing if it makes no sense, or if only the kernel can tell.
[[nodiscard]] std::optional<Inode> parse_inode(Bytes data, std::uint32_t block_bytes);

// kInodeItem: the transaction in which it was changed. Nothing as above.
[[nodiscard]] std::optional<std::uint64_t> parse_transaction(Bytes data);

// kDirIndex: a name in the directory Item::object.
struct Name {
  std::string_view name;
  std::uint64_t inode = 0;  // 0: it is the root of another subvolume
  std::uint8_t type = 0;    // DT_DIR and so on
};
[[nodiscard]] std::optional<Name> parse_name(Bytes data);

}  // namespace fathom::fs::btrfs

// Fuzzes the items of btrfs. The first byte of a text chooses the size of blocks; the rest is what
// BTRFS_IOC_TREE_SEARCH_V2 returns: items with their headers. Each item is taken for an inode and
// for a name. What is accepted can be relied on: sizes are not negative, and files can have the
// names.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "fathom/testing/always.h"
#include "volume/btrfs_format.h"

namespace fathom::fs::btrfs {
namespace {

using testing::always;

void check_inode(Bytes data, std::uint32_t block_bytes) {
  const auto inode = parse_inode(data, block_bytes);
  if (!inode) return;
  always(inode->size <= std::uint64_t{std::numeric_limits<std::int64_t>::max()},
         "a size is negative");
  always(inode->mode != 0 && inode->links != 0, "an inode is in doubt");
  always(inode->blocks % (block_bytes / kBlockBytes) == 0, "a part of a block is used");
  always(inode->entry(256, 1).mtime <= inode->mtime / 1'000'000'000, "a time is rounded up");
}

void check_name(Bytes data) {
  const auto found = parse_name(data);
  if (!found) return;
  const std::string_view name = found->name;
  always(!name.empty() && name.size() <= 255, "a name has a senseless length");
  always(name != "." && name != "..", "a name leads out of its directory");
  always(name.find('/') == name.npos && name.find('\0') == name.npos, "no file has that name");
  const auto* const begin = reinterpret_cast<const std::byte*>(name.data());
  always(begin >= data.data() && begin + name.size() <= data.data() + data.size(),
         "a name is outside of its item");
}

void check(Bytes text) {
  constexpr std::array<std::uint32_t, 4> kBlocks = {4096, 65536, 512, 0};
  if (text.empty()) return;
  const std::uint32_t block_bytes = kBlocks[static_cast<std::size_t>(text[0]) % kBlocks.size()];
  Bytes rest = text.subspan(1);
  while (const auto item = take_item(rest)) {
    check_inode(item->data, block_bytes);
    check_name(item->data);
  }
}

}  // namespace
}  // namespace fathom::fs::btrfs

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::btrfs::check(std::as_bytes(std::span(data, size)));
  return 0;
}

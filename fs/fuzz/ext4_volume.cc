// Fuzzes the structures of ext4. The first byte of a text chooses the structure ("0" to "4"), the
// second one the setting, and the rest is the structure, filled up with zeros. Most settings make
// the checksum right, because a mutation rarely does. What is accepted can be relied on: sizes are
// not negative, extents have no holes, and files can have the names.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "ext4_structures.h"
#include "fathom/base/error.h"
#include "fathom/testing/always.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {
namespace {

using testing::always;

constexpr std::size_t kBlock = 1024;
constexpr std::uint32_t kSeedOfCorpus = 0x643dbf5b;  // of the id that mkfs.ext4 was told

struct Setting {
  explicit Setting(std::uint8_t bits)
      : is_signed((bits & 1) == 0),
        is_narrow((bits & 2) != 0),
        huge_files((bits & 4) != 0),
        large_directories((bits & 8) != 0),
        is_first((bits & 16) == 0),
        is_indexed((bits & 32) != 0) {}

  bool is_signed;  // the checksum is made right
  bool is_narrow;  // an inode of 128 bytes, a descriptor of 32
  bool huge_files;
  bool large_directories;
  bool is_first;  // of the blocks of a directory
  bool is_indexed;
};

// That of the corpus, which mkfs.ext4 wrote, apart from the setting.
Super super_of(const Setting& setting) {
  return {.block_bytes = kBlock,
          .inode_bytes = setting.is_narrow ? 128U : 256U,
          .descriptor_bytes = setting.is_narrow ? 32U : 64U,
          .inodes_per_group = 2048,
          .groups = 2,
          .blocks = 16384,
          .seed = kSeedOfCorpus,
          .huge_files = setting.huge_files,
          .large_directories = setting.large_directories};
}

// The text, of exactly this size.
class Filled {
 public:
  Filled(Bytes text, std::size_t bytes) : bytes_(bytes) {
    std::copy_n(text.begin(), std::min(text.size(), bytes), bytes_.begin());
  }
  Room room() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

void check_super(Bytes text, const Setting& setting) {
  Filled filled(text, kSuperBytes);
  if (setting.is_signed) sign_super(filled.room());
  Super super;
  try {
    super = parse_super(filled.room());
  } catch (const base::Error&) {  // expected for most texts
    return;
  }
  always(super.block_bytes >= 1024 && super.block_bytes <= 65536, "blocks have a senseless size");
  always(super.inode_bytes >= 128 && super.block_bytes % super.inode_bytes == 0,
         "inodes do not fill blocks");
  always(super.descriptor_bytes >= 32 && super.block_bytes % super.descriptor_bytes == 0,
         "descriptors do not fill blocks");
  always(super.groups > 0, "there are no groups");
  always(super.first_inode(super.groups - 1) + super.inodes_per_group - 1 <=
             std::numeric_limits<std::uint32_t>::max(),
         "an inode has a number with more than 32 bits");
}

void check_group(Bytes text, const Setting& setting) {
  const Super super = super_of(setting);
  Filled filled(text, super.descriptor_bytes);
  if (setting.is_signed) sign_group(super, 0, filled.room());
  const auto group = parse_group(super, 0, filled.room());
  if (!group) return;
  const std::uint64_t bytes = std::uint64_t{group->inodes} * super.inode_bytes;
  always(group->inodes <= super.inodes_per_group, "a group has too many inodes");
  always(group->table * super.block_bytes + bytes <= super.blocks * super.block_bytes,
         "inodes are behind the end");
}

void check_extents(const std::vector<Extent>& extents) {
  std::uint64_t end = 0;
  for (const Extent& extent : extents) {
    always(extent.at == end && extent.blocks > 0, "extents have a hole or overlap");
    always(extent.on_disk >> 48 == 0, "a block has a number with more than 48 bits");
    end += extent.blocks;
  }
}

void check_inode(Bytes text, const Setting& setting) {
  const Super super = super_of(setting);
  Filled filled(text, super.inode_bytes);
  if (setting.is_signed) sign_inode(super, kRootInode, filled.room());
  ParsedInode parsed;
  parse_inode(super, kRootInode, filled.room(), parsed);
  static_cast<void>(change_seconds(filled.room()));
  if (parsed.found != Found::inode && parsed.found != Found::directory) return;
  const Inode& inode = parsed.inode;
  always(inode.size <= std::uint64_t{std::numeric_limits<std::int64_t>::max()},
         "a size is negative");
  always(inode.mode != 0 && inode.links != 0, "an inode is in doubt");
  const Entry entry = inode.entry(kRootInode, 1);
  always(entry.mtime <= inode.mtime / 1'000'000'000, "a time is rounded up");
  if (parsed.found == Found::inode) return;
  const DirectoryInode& directory = parsed.directory;
  always(entry.kind() == Kind::directory, "a file has names");
  always(directory.blocks > 0 && std::uint64_t{directory.blocks} * kBlock == inode.size,
         "a directory has another number of blocks");
  always(directory.nodes.empty() || directory.extents.empty(), "extents are in two places");
  check_extents(directory.extents);
}

void check_extent_block(Bytes text, const Setting& setting) {
  Filled filled(text, kBlock);
  if (setting.is_signed) sign_extents(kSeedOfCorpus, filled.room());
  std::vector<Extent> extents;
  if (!parse_extent_block(kSeedOfCorpus, filled.room(), extents)) return;
  check_extents(extents);
  const bool is_empty = extents.empty();
  always(parse_extent_block(kSeedOfCorpus, filled.room(), extents) == is_empty,
         "extents begin twice");
}

void check_directory_block(Bytes text, const Setting& setting) {
  const std::uint32_t seed = seed_of_inode(super_of(setting), kRootInode, Filled({}, 256).room());
  Filled filled(text, kBlock);
  const bool is_index = setting.is_indexed && setting.is_narrow;
  if (setting.is_signed && is_index) sign_index(seed, filled.room(), setting.is_first);
  if (setting.is_signed && !is_index) sign_leaf(seed, filled.room());
  const DirectoryInode directory{
      .seed = seed, .blocks = 1, .indexed = setting.is_indexed, .extents = {}, .nodes = {}};
  std::size_t names = 0;
  const auto check_name = [&](std::string_view name, std::uint32_t, std::uint8_t) {
    always(!name.empty() && name.size() <= 255 && name != ".", "a name has a senseless length");
    always(name.find('/') == name.npos && name.find('\0') == name.npos, "no file has that name");
    always((name == "..") == (setting.is_first && names == 0), "the parent is at another place");
    ++names;
  };
  const bool right = for_each_name(directory, filled.room(), setting.is_first, check_name);
  always(!right || !setting.is_first || names > 0, "the parent is missing");
}

void check(Bytes text) {
  constexpr std::array kChecks = {check_super, check_group, check_inode, check_extent_block,
                                  check_directory_block};
  if (text.size() < 2) return;
  const auto structure = static_cast<std::uint8_t>(static_cast<std::uint8_t>(text[0]) - '0');
  const Setting setting(static_cast<std::uint8_t>(text[1]));
  kChecks[structure % kChecks.size()](text.subspan(2), setting);
}

}  // namespace
}  // namespace fathom::fs::ext4

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::ext4::check(std::as_bytes(std::span(data, size)));
  return 0;
}

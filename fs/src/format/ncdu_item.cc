// NcduItem: its members, as ncdu_export.cc writes them, and those of other programs.

#include "format/ncdu_item.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "format/json_members.h"

namespace fathom::fs {

namespace {

constexpr std::uint64_t kMostErrno = 4095;  // Linux's limit
constexpr std::uint16_t kPermissionBits = 07777;

void read_name(JsonInput& input, NcduItem& item) {
  if (!item.name.empty()) input.fail("an entry has two names");
  item.name = input.string();
}

void read_excluded(JsonInput& input, NcduItem& item) {
  item.excluded = input.string();
  if (item.excluded.empty()) input.fail("an entry is excluded without a reason");
}

// A user or group id. ncdu 1 writes ids from 2^31 on as negative numbers, plus 2^64.
template <auto kField>
void read_id(JsonInput& input, NcduItem& item) {
  constexpr std::uint64_t kWrapped = 0 - (std::uint64_t{1} << 31);
  const std::uint64_t number = input.whole_number();
  item.*kField = static_cast<std::uint32_t>(number);
  if (number != item.*kField && number < kWrapped) input.fail("a number is too large");
}

void read_errno(JsonInput& input, NcduItem& item) {
  item.error = static_cast<int>(input.whole_number(kMostErrno));
}

void read_items(JsonInput& input, NcduItem& item) {
  item.has_totals = true;
  input.skip_value();
}

// Ordered by frequency.
constexpr auto kItemMembers = std::to_array<JsonMember<NcduItem>>({
    {"name", read_name},
    {"asize", read_field<&NcduItem::size>},
    {"dsize", read_field<&NcduItem::disk_bytes>},
    {"uid", read_id<&NcduItem::uid>},
    {"gid", read_id<&NcduItem::gid>},
    {"mode", read_field<&NcduItem::mode>},
    {"mtime", read_field<&NcduItem::mtime>},
    {"notreg", read_field<&NcduItem::is_irregular>},
    {"ino", read_field<&NcduItem::inode>},
    {"hlnkc", read_field<&NcduItem::is_hard_link>},
    {"nlink", read_field<&NcduItem::links>},
    {"dev", read_field<&NcduItem::device>},
    {"target", read_field<&NcduItem::target>},
    {"target_exists", read_field<&NcduItem::target_exists>},
    {"negative_mtime", read_field<&NcduItem::mtime>},
    {"read_error", read_field<&NcduItem::read_error>},
    {"excluded", read_excluded},
    {"items", read_items},
    {"errno", read_errno},
    {"operation", read_field<&NcduItem::operation>},
    {"unwanted", read_field<&NcduItem::filtered_out>},
    {"holds_more", read_field<&NcduItem::has_omitted_children>},
});

// Whether an entry below the root can have this name. Others would change the meaning of a path.
bool is_name(std::string_view name) {
  const bool has_bad_byte = name.find_first_of(std::string_view("/\0", 2)) != name.npos;
  return !has_bad_byte && name != "." && name != "..";
}

// The mode of an entry that is not an array. Without a type, it is derived from the other fields.
std::uint16_t mode_of(const NcduItem& item) {
  if ((item.mode & S_IFMT) != 0) return item.mode;
  std::uint16_t type = S_IFREG;
  if (item.is_irregular) type = item.size != 0 ? S_IFLNK : 0;
  return type | item.mode;
}

Entry entry_of(const NcduItem& item, std::uint64_t parent_device) {
  return {.size = item.size,
          .blocks = item.disk_bytes / kBlockBytes + (item.disk_bytes % kBlockBytes == 0 ? 0 : 1),
          .inode = 0,
          .device = item.device.value_or(parent_device),
          .mtime = item.mtime,
          .uid = item.uid,
          .gid = item.gid,
          .links = 1,
          .mode = item.mode};
}

}  // namespace

void NcduItem::read(JsonInput& input, bool is_root) {
  std::string memory = std::move(name);  // for the next name
  memory.clear();
  *this = {};
  name = std::move(memory);
  read_members(input, kItemMembers, *this);
  if (name.empty()) input.fail("an entry has no name");
  if (is_root) {
    if (name.find('\0') != name.npos) input.fail("a directory cannot have this name");
  } else if (!is_name(name)) {
    input.fail("an entry cannot have this name");
  }
}

Excluded NcduItem::why_excluded() const {
  if (excluded == "otherfs" || excluded == "othfs") return Excluded::other_filesystem;
  if (excluded == "kernfs") return Excluded::kernel_filesystem;
  return Excluded::pattern;
}

LinkEnd NcduItem::link_end() const {
  if (!target_exists) return LinkEnd::unknown;
  return *target_exists ? LinkEnd::exists : LinkEnd::missing;
}

const char* NcduItem::operation_or(const char* otherwise) const {
  constexpr std::array<const char*, 3> kOperations = {"open", "list", "stat"};
  const auto* const found = std::find(kOperations.begin(), kOperations.end(), operation);
  return found == kOperations.end() ? otherwise : *found;
}

Entry NcduItem::directory_entry(std::uint64_t inode_number, std::uint64_t parent_device) const {
  Entry entry = entry_of(*this, parent_device);
  entry.mode = static_cast<std::uint16_t>(S_IFDIR | (mode & kPermissionBits));
  entry.inode = inode_number;
  entry.links = kManyLinks;
  if (has_totals) entry.size = entry.blocks = 0;
  return entry;
}

Entry NcduItem::other_entry(std::uint64_t parent_device) const {
  Entry entry = entry_of(*this, parent_device);
  entry.mode = mode_of(*this);
  if (inode && (is_hard_link || links > 1)) {
    entry.inode = *inode;
    entry.links = links > 1 ? links : kManyLinks;
  }
  return entry;
}

}  // namespace fathom::fs

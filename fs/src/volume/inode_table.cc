// InodeTable: a sorted index of groups of 64 numbers.

#include "volume/inode_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fathom/base/clock.h"

namespace fathom::fs {

namespace {

constexpr std::uint64_t kGroup = 64;

}  // namespace

Entry Inode::entry(std::uint64_t number, std::uint64_t device) const {
  return {.size = size,
          .blocks = blocks,
          .inode = number,
          .device = device,
          .mtime = base::whole_seconds(mtime),
          .uid = uid,
          .gid = gid,
          .links = links,
          .mode = mode,
          .times = {.mtime = mtime, .ctime = ctime, .btime = btime}};
}

void InodeTable::Part::add(std::uint64_t number, const Inode& inode) {
  if (inodes_.empty()) first_ = number;
  const std::uint64_t base = number / kGroup * kGroup;
  if (groups_.empty() || groups_.back().number != base) {
    groups_.push_back({.number = base, .known = 0, .first = inodes_.size()});
  }
  groups_.back().known |= std::uint64_t{1} << (number - base);
  inodes_.push_back(inode);
}

const Inode* InodeTable::Part::find(std::uint64_t number) const {
  const auto after = std::upper_bound(
      groups_.begin(), groups_.end(), number,
      [](std::uint64_t wanted, const Group& group) { return wanted < group.number; });
  if (after == groups_.begin()) return nullptr;
  const Group& group = *std::prev(after);
  const std::uint64_t bit = number - group.number;
  if (bit >= kGroup || (group.known >> bit & 1) == 0) return nullptr;
  const std::uint64_t before = group.known & ((std::uint64_t{1} << bit) - 1);
  const Inode& found = inodes_[group.first + static_cast<unsigned>(std::popcount(before))];
  return found.mode == 0 ? nullptr : &found;
}

void InodeTable::Part::forget(std::uint64_t number) {
  if (const Inode* const found = find(number)) {
    inodes_[static_cast<std::size_t>(found - inodes_.data())].mode = 0;
  }
}

InodeTable::InodeTable(std::vector<Part> parts) : parts_(std::move(parts)) {
  std::erase_if(parts_, [](const Part& part) { return part.empty(); });
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.first() < b.first(); });
}

std::size_t InodeTable::part_of(std::uint64_t number) const {
  const auto after = std::upper_bound(
      parts_.begin(), parts_.end(), number,
      [](std::uint64_t wanted, const Part& part) { return wanted < part.first(); });
  return after == parts_.begin() ? parts_.size()
                                 : static_cast<std::size_t>(after - parts_.begin()) - 1;
}

const Inode* InodeTable::find(std::uint64_t number) const {
  const std::size_t part = part_of(number);
  return part == parts_.size() ? nullptr : parts_[part].find(number);
}

void InodeTable::forget(std::uint64_t number) {
  if (const std::size_t part = part_of(number); part < parts_.size()) parts_[part].forget(number);
}

std::uint64_t InodeTable::size() const {
  std::uint64_t size = 0;
  for (const Part& part : parts_) size += part.size();
  return size;
}

}  // namespace fathom::fs

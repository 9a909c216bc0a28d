// NameTable: blocks of names, and where those of each directory are.

#include "volume/name_table.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace fathom::fs {

namespace {

constexpr std::size_t kNameBlock = std::size_t{256} * 1024;  // bytes

}  // namespace

std::uint8_t stored_type(std::uint8_t number) {
  constexpr std::array<std::uint8_t, 8> kTypes = {DT_UNKNOWN, DT_REG,  DT_DIR,  DT_CHR,
                                                  DT_BLK,     DT_FIFO, DT_SOCK, DT_LNK};
  return number < kTypes.size() ? kTypes[number] : std::uint8_t{DT_UNKNOWN};
}

void NameTable::Part::add_block() {
  blocks_.emplace_back(new char[kNameBlock]);
  used_ = 0;
}

void NameTable::Part::begin(std::uint64_t directory, std::uint64_t parent) {
  if (blocks_.empty()) add_block();
  listings_.push_back({.directory = directory,
                       .parent = parent,
                       .begin = blocks_.back().get() + used_,
                       .bytes = 0});
}

void NameTable::Part::add(std::string_view name, std::uint64_t inode, std::uint8_t type) {
  const std::size_t bytes = kHeader + name.size() + 1;
  if (used_ + bytes > kNameBlock) {
    add_block();
    begin(listings_.back().directory);
  }
  char* const at = blocks_.back().get() + used_;
  std::memcpy(at, &inode, sizeof inode);
  at[sizeof inode] = static_cast<char>(type);
  at[sizeof inode + 1] = static_cast<char>(name.size());
  std::memcpy(at + kHeader, name.data(), name.size());
  at[kHeader + name.size()] = 0;
  used_ += bytes;
  listings_.back().bytes += bytes;
}

NameTable::NameTable(std::vector<Part> parts) {
  for (Part& part : parts) {
    std::move(part.blocks_.begin(), part.blocks_.end(), std::back_inserter(blocks_));
    listings_.insert(listings_.end(), part.listings_.begin(), part.listings_.end());
  }
  // Stable, so that the names of a directory stay in their order.
  std::stable_sort(listings_.begin(), listings_.end(),
                   [](const Listing& a, const Listing& b) { return a.directory < b.directory; });
}

std::size_t NameTable::first_listing(std::uint64_t directory) const {
  const auto found = std::lower_bound(
      listings_.begin(), listings_.end(), directory,
      [](const Listing& listing, std::uint64_t wanted) { return listing.directory < wanted; });
  return static_cast<std::size_t>(found - listings_.begin());
}

bool NameTable::knows(std::uint64_t directory) const {
  const std::size_t at = first_listing(directory);
  return at < listings_.size() && listings_[at].directory == directory;
}

bool NameTable::knows(std::uint64_t directory, std::uint64_t parent) const {
  for (std::size_t at = first_listing(directory);
       at < listings_.size() && listings_[at].directory == directory; ++at) {
    if (listings_[at].parent != 0) return listings_[at].parent == parent;
  }
  return false;
}

}  // namespace fathom::fs

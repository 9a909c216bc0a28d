// NameTable: the names in the directories of a filesystem, read in bulk.
//
// A name takes 11 bytes and its length. Threads fill parts of their own; the names of a directory
// may be in several parts.
//
//   NameTable::Part part;
//   part.begin(directory);
//   part.add("name", inode, DT_REG);
//   NameTable table(std::move(parts));
//   table.for_each_name(directory, [](const NameTable::Name& name) { return true; });

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace fathom::fs {

// The type of an entry (DT_DIR and so on) for its number in directories of ext4 and btrfs.
[[nodiscard]] std::uint8_t stored_type(std::uint8_t number);

class NameTable {
 public:
  struct Name {
    std::uint64_t inode = 0;
    std::uint8_t type = 0;       // DT_DIR and so on
    const char* name = nullptr;  // ends with 0
  };

  class Part {
   public:
    // The following names are in this directory. Without any, it is known to be empty. `parent` is
    // the directory where its own name is, or 0 if only another part tells.
    void begin(std::uint64_t directory, std::uint64_t parent = 0);
    // At most 255 bytes without a 0, which is what filesystems allow.
    void add(std::string_view name, std::uint64_t inode, std::uint8_t type);

   private:
    friend class NameTable;
    void add_block();

    struct Listing {
      std::uint64_t directory;
      std::uint64_t parent;
      const char* begin;
      std::uint64_t bytes;
    };

    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;  // of the last block
    std::vector<Listing> listings_;
  };

  NameTable() = default;
  explicit NameTable(std::vector<Part> parts);

  // Whether the names of the directory are known.
  [[nodiscard]] bool knows(std::uint64_t directory) const;
  // Whether they are, and its own name is in the other directory, which is so for one at most. A
  // damaged filesystem may have names for it in others as well, even below itself.
  [[nodiscard]] bool knows(std::uint64_t directory, std::uint64_t parent) const;

  // Calls function(const Name&) for each name, without . and .., until it returns false.
  template <class Function>
  void for_each_name(std::uint64_t directory, Function&& function) const;

 private:
  using Listing = Part::Listing;
  static constexpr std::size_t kHeader = sizeof(std::uint64_t) + 2;

  [[nodiscard]] std::size_t first_listing(std::uint64_t directory) const;

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<Listing> listings_;  // by directory
};

template <class Function>
void NameTable::for_each_name(std::uint64_t directory, Function&& function) const {
  for (std::size_t i = first_listing(directory);
       i < listings_.size() && listings_[i].directory == directory; ++i) {
    const char* at = listings_[i].begin;
    for (const char* const end = at + listings_[i].bytes; at < end;) {
      Name name;
      std::memcpy(&name.inode, at, sizeof name.inode);
      name.type = static_cast<std::uint8_t>(at[sizeof name.inode]);
      const std::size_t length = static_cast<std::uint8_t>(at[sizeof name.inode + 1]);
      name.name = at + kHeader;
      at += kHeader + length + 1;
      if (!function(name)) return;
    }
  }
}

}  // namespace fathom::fs

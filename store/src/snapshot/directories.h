// Directories: collects what dirs.parquet says while the rows of entries.parquet pass by, and
// writes it.
//
// Takes about 150 bytes per directory, and its name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/totals.h"
#include "parquet/table_writer.h"
#include "snapshot/directory_columns.h"
#include "snapshot/entry_columns.h"
#include "snapshot/preorder.h"
#include "snapshot/row_hash.h"

namespace fathom::store {

class Directories {
 public:
  // Takes the next rows, of which the first one has the number `first`, and their hashes.
  void add(const EntrySource& source, std::span<const Row> rows, std::uint64_t first,
           std::span<const Hash128> hashes);

  // Writes all directories. Nothing can be added afterwards.
  void write(TableWriter& table, std::size_t group_rows);

  // The sums of everything, once all is written.
  [[nodiscard]] const fs::Counts& whole() const { return whole_; }

 private:
  using Index = std::uint32_t;  // in preorder
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  struct Directory {
    std::uint64_t id = 0;
    std::uint64_t end = 0;
    std::uint64_t parent_id = kNoRow;
    std::uint64_t first_subdir = 0;
    std::uint64_t subdirs = 0;
    std::uint64_t inode = 0;
    std::int64_t btime = fs::kUnknownTime;
    fs::Counts counts = {};  // until it is closed: without the subdirectories, as lower_bound
    Hash128 own = {};
    Hash128 subtree = {};  // until it is closed: the sum of the hashes of the subdirectories
    std::size_t name = 0;  // where it begins in names_
    std::size_t name_bytes = 0;
    std::size_t path_bytes = 0;  // the length of its path
    Index parent = kNone;
    std::uint32_t depth = 0;
    std::uint32_t filesystem = 0;  // the index in filesystems_; 0: unknown
    std::uint8_t flags = 0;
    bool lower_bound = false;
  };
  struct Texts;

  void open(const EntrySource& source, const Row& row, std::uint64_t id);
  void close_before(std::uint64_t row);
  [[nodiscard]] std::vector<Index> breadth_first();
  [[nodiscard]] std::uint32_t filesystem_of(const EntrySource& source, std::uint64_t device);
  [[nodiscard]] std::string_view name_of(const Directory& directory) const {
    return std::string_view(names_).substr(directory.name, directory.name_bytes);
  }
  [[nodiscard]] std::string path_of(Index directory) const;
  void fill(DirectoryColumn column, std::span<const Index> rows, Values& values,
            std::deque<std::string>& texts) const;
  void fill_hashes(Hash128 Directory::*hash, std::span<const Index> rows, Values& values,
                   std::deque<std::string>& texts) const;
  void fill_dir(std::span<const Index> rows, Values& values, std::deque<std::string>& texts) const;

  std::vector<Directory> directories_;
  std::string names_;
  std::vector<Index> open_;  // the directories above the next row
  fs::Counts whole_;
  std::vector<std::string> filesystems_ = {""};
};

}  // namespace fathom::store

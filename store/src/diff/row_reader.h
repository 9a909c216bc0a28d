// RowReader: reads from entries.parquet what a comparison needs to know about some rows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/tree.h"
#include "parquet/encoding.h"
#include "snapshot/directory_table.h"
#include "snapshot/entry_rows.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// By what an entry is recognised when its path has changed.
struct EntryIdentity {
  std::uint64_t filesystem = 0;  // a hash of fs_uuid; 0: unknown
  std::uint64_t inode = 0;
  std::int64_t btime = fs::kUnknownTime;

  // Whether it is enough to recognise a move.
  [[nodiscard]] bool certain() const {
    return filesystem != 0 && inode != 0 && btime != fs::kUnknownTime;
  }
  bool operator==(const EntryIdentity&) const = default;
  bool operator<(const EntryIdentity& other) const {
    return std::tie(filesystem, inode, btime) <
           std::tie(other.filesystem, other.inode, other.btime);
  }
};

// An entry on one side.
struct EntryFacts {
  EntryIdentity identity = {};
  std::uint64_t bytes = 0;  // that are charged to it
  fs::Kind kind = fs::Kind::other;
  bool further_link = false;  // its bytes are charged to a smaller path
  std::uint32_t user = fs::kUnknownOwner;
  std::uint32_t group = fs::kUnknownOwner;
};

[[nodiscard]] std::uint64_t hash_of_filesystem(std::string_view fs_uuid);

// Facts about rows, column by column.
struct RowFacts {
  Texts names;
  std::vector<EntryIdentity> identities;
  std::vector<std::uint64_t> bytes;  // that are charged to the entry
  std::vector<fs::Kind> kinds;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> users;  // if owners are wanted, as is the next
  std::vector<std::uint32_t> groups;

  [[nodiscard]] std::size_t size() const { return bytes.size(); }
  void reserve(std::size_t rows) {
    identities.reserve(rows);
    bytes.reserve(rows);
    kinds.reserve(rows);
    flags.reserve(rows);
    names.ends.reserve(rows);
  }
};

// Each thread needs its own.
class RowReader {
 public:
  RowReader(const LazyTable& file, fs::Measure measure, bool owners);

  // The rows of the intervals, which must ascend and be inside the file. Reads only pages with such
  // rows. Throws base::Error, with the name of the file, if it is damaged.
  [[nodiscard]] RowFacts read(std::span<const RowInterval> rows);

 private:
  void read_part(const EntryRows::Part& part, RowFacts& facts);

  const std::string& label_;
  EntryRows rows_;
  const fs::Measure measure_;
  const bool owners_;
};

}  // namespace fathom::store

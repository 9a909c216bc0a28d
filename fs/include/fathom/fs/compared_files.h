// ComparedFiles: what searches for duplicates have found out about files, for later searches.
//
// A file is known as long as its filesystem, inode number, size and times are the same. Two known
// files of the same size and the same search were compared: they are equal if their contents have
// the same number, and differ if not. Nothing else makes two files equal; hashes only tell apart.
//
//   DuplicateMemory memory{.known = loaded, .filesystems = lasting_filesystems(tree), ...};
//   Duplicates same = find_duplicates(tree, {.memory = &memory});
//   loaded.take(same.learned, memory.today);

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fathom/fs/file_identity.h"

namespace fathom::fs {

struct ComparedFile {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;        // bytes; not 0
  std::int64_t mtime_ns = 0;     // nanoseconds since the epoch, as is the next
  std::int64_t ctime_ns = 0;     // no program can set it
  std::uint32_t begin_hash = 0;  // of the first 4,096 bytes, or of all; different: files differ
  std::uint32_t search = 0;      // the number of the search that compared it, or kThisSearch
  std::uint32_t content = 0;     // its number in that search
  std::uint16_t filesystem = 0;  // index in ComparedFiles::filesystems
  std::uint16_t day = 0;         // when a search last saw it, in days since the epoch
  friend bool operator==(const ComparedFile&, const ComparedFile&) = default;
};

// Of what a search has learned, before it is among what others have.
inline constexpr std::uint32_t kThisSearch = 0;

struct ComparedFiles {
  // A file that no search has seen for so many days is forgotten; and of more files than that,
  // those that were not seen for the longest time.
  static constexpr std::uint16_t kDays = 30;
  static constexpr std::size_t kMostFiles = std::size_t{1} << 23;

  std::vector<std::string> filesystems;  // lasting_filesystems(); each once
  std::vector<ComparedFile> files;       // by filesystem, then inode; each once

  // The file, if it is known and in that state; otherwise null. Ignores the device.
  [[nodiscard]] const ComparedFile* find(std::uint16_t filesystem, const FileIdentity& now) const;

  // Adds what a search has learned, in place of what was known of the same files, and forgets what
  // is old. Returns whether anything changed.
  bool take(ComparedFiles learned, std::uint16_t today, std::size_t most = kMostFiles);

  friend bool operator==(const ComparedFiles&, const ComparedFiles&) = default;
};

// What a search needs to remember others, and to be remembered.
struct DuplicateMemory {
  ComparedFiles known;
  std::map<std::uint64_t, std::string> filesystems;  // by device; files on others are always read
  std::int64_t settled_before_ns = 0;  // see settled_before(); what changed later is not remembered
  std::uint16_t today = 0;             // in days since the epoch
};

// A file that changed at this time or later may change once more without a new ctime, because the
// clocks of filesystems tick slowly. `began_ns`: when the search began.
[[nodiscard]] std::int64_t settled_before(std::int64_t began_ns);

}  // namespace fathom::fs

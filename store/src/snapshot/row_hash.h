// RowHasher: hashes of entries, by which directories of two snapshots are compared without reading
// their entries.
//
// The hash of a row covers everything that entries.parquet says about the entry itself, but not its
// place: neither the numbers of rows nor the path and the device number. The hash of several rows
// is the sum of theirs, so their order does not matter, and threads can share the work. It detects
// changes, not forgeries.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "snapshot/entry_columns.h"
#include "snapshot/preorder.h"

namespace fathom::store {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // Modulo 2^128.
  Hash128& operator+=(const Hash128& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  bool operator==(const Hash128&) const = default;
};

// As it is in files: the lowest byte first.
using HashBytes = std::array<char, 16>;
[[nodiscard]] HashBytes bytes_of(const Hash128& hash);
[[nodiscard]] Hash128 hash_of(const HashBytes& bytes);

// Each thread needs its own.
class RowHasher {
 public:
  explicit RowHasher(const EntrySource& source) : source_(source) {}

  // Of a directory, without its name, so that it stays the same when the directory is renamed.
  [[nodiscard]] Hash128 hash(const Row& row);

 private:
  [[nodiscard]] std::uint64_t filesystem_hash(std::uint64_t device);

  const EntrySource& source_;
  std::uint64_t device_ = 0;       // of the last row
  std::uint64_t device_hash_ = 0;  // of its filesystem
  bool device_known_ = false;
  std::string bytes_;
};

// The hash of a subdirectory in its parent.
[[nodiscard]] Hash128 hash_of_subdirectory(std::string_view name, const Hash128& subtree);

}  // namespace fathom::store

// The columns of dirs.parquet.
//
// A row for each directory, breadth first: the roots, their subdirectories, and so on; those of one
// directory by the bytes of their names. So the subdirectories of a directory are neighbours, and
// so are all descendants at the same distance.

#pragma once

#include <cstdint>

#include "fathom/fs/measure.h"
#include "parquet/schema.h"

namespace fathom::store {

enum class DirectoryColumn : std::uint8_t {
  id,  // the row in entries.parquet, as are the next two
  parent_id,
  subtree_end,
  depth,
  dir,
  name,
  name_raw,
  flags,
  first_subdir,  // the row of the first subdirectory in this file, or where it would be
  subdirs,       // how many there are
  fs_uuid,
  ino,
  btime_ns,
  lower_bound,  // 1: something in the directory or deeper could not be read
  files,        // as fs::Counts, with everything below
  dirs,
  symlinks,
  others,
  disk_bytes,
  apparent_bytes,
  own_hash,      // of the directory and of its entries that are not directories; see RowHasher
  subtree_hash,  // of own_hash, and the names and hashes of the subdirectories
};

[[nodiscard]] constexpr DirectoryColumn bytes_column(fs::Measure measure) {
  return measure == fs::Measure::disk ? DirectoryColumn::disk_bytes
                                      : DirectoryColumn::apparent_bytes;
}

// Its columns are in the order of DirectoryColumn.
[[nodiscard]] const Schema& directories_schema();

}  // namespace fathom::store

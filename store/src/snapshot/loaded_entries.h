// load_entries(): reads entries.parquet row by row, as entries of a tree.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/executor.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// A row of entries.parquet. Texts are valid during the call.
struct LoadedEntry {
  std::string_view name;  // bytes; of a root, its path
  std::string_view filesystem;
  fs::Entry entry;
  // Those of its NodeFlags that only the scan knows; the others follow from the tree.
  std::uint8_t flags = 0;
  std::uint32_t depth = 0;  // 0 for a root; at most one more than that of the directory before it
};

// Whether LoadedEntry::filesystem is filled in.
enum class Filesystems : bool { left_out, read };

// Calls take(entry) for each row in turn, on the calling thread, which takes part in the work of
// the executor. Throws base::Error with the name of the file if it is damaged, and what `take`
// throws.
void load_entries(const Snapshot::Files& files, Filesystems filesystems, rt::Executor& executor,
                  const std::function<void(const LoadedEntry&)>& take);

// The rows of errors.parquet. Throws base::Error with the name of the file if it is damaged.
[[nodiscard]] std::vector<fs::ScanError> load_errors(const Snapshot::Files& files);

// Decodes every value of entries.parquet and dirs.parquet, also of columns that a scan does not
// need. Throws base::Error, with the name of the file, if one is damaged.
void decode_values(const Snapshot::Files& files);

}  // namespace fathom::store

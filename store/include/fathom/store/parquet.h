// Writes the entries of a scan as a Parquet file, which DuckDB, Polars, pandas and Spark read.
//
// One row per entry, in preorder: a directory before its entries, those ordered by the bytes of
// their names. docs/SNAPSHOT.md describes the columns. The same tree gives the same bytes.
//
//   write_parquet(scan, {.executor = executor}, [&](std::string_view block) { ... });

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/rt/executor.h"

namespace fathom::store {

struct ParquetOptions {
  // The path of each root, by its index in the scan; empty: as scanned.
  std::vector<std::string> roots = {};
  // The text that identifies the filesystem of each device; see fs::filesystem_ids().
  std::map<std::uint64_t, std::string> filesystems = {};
  // How many entries a row group has. Memory grows with it.
  std::size_t group_rows = 128 * 1024;
};

// Columns are encoded on the executor; the calling thread takes part. Row groups are written as
// soon as they are complete, so memory depends on their size and the number of directories: /usr
// with 184,000 entries took 33 MB. Throws base::Error and whatever the sink throws.
void write_parquet(const fs::Scan& scan, const ParquetOptions& options, rt::Executor& executor,
                   const fs::Sink& sink);

}  // namespace fathom::store

// EntriesWriter: writes entries.parquet from one tree or several.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fathom/fs/sink.h"
#include "fathom/rt/executor.h"
#include "parquet/table_writer.h"
#include "snapshot/directories.h"
#include "snapshot/entry_columns.h"
#include "snapshot/preorder.h"
#include "snapshot/row_hash.h"

namespace fathom::store {

class EntriesWriter {
 public:
  // Row groups have `group_rows` rows, the last one of each tree fewer.
  EntriesWriter(rt::Executor& executor, std::size_t group_rows, const fs::Sink& sink);

  // Appends the entries of a tree, and tells the directories about them if there are any. The roots
  // of several trees must have ascending names.
  void add(const EntrySource& source, Directories* directories = nullptr);

  // Appends some rows, as a row group. Meanwhile the calling thread calls the function.
  void add_group(const EntrySource& source, std::span<const Row> rows, Directories* directories,
                 const std::function<void()>& meanwhile);

  // Ends the file. Returns the number of rows.
  std::uint64_t finish();

 private:
  rt::Executor& executor_;
  const std::size_t group_rows_;
  TableWriter table_;
  std::vector<Hash128> hashes_;
};

}  // namespace fathom::store

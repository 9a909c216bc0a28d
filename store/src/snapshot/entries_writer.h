// EntriesWriter: writes entries.parquet from one tree or several.

#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/fs/sink.h"
#include "fathom/fs/totals.h"
#include "fathom/rt/executor.h"
#include "parquet/table_writer.h"
#include "snapshot/directories.h"
#include "snapshot/entry_columns.h"

namespace fathom::store {

class EntriesWriter {
 public:
  // Row groups have `group_rows` rows, the last one of each tree fewer.
  EntriesWriter(rt::Executor& executor, std::size_t group_rows, const fs::Sink& sink);

  // Appends the entries of a tree. The roots of several trees must have ascending names.
  void add(const EntrySource& source);
  // The same, and tells the directories about them.
  void add(const EntrySource& source, const fs::Totals& totals, Directories& directories);

  // Ends the file. Returns the number of rows.
  std::uint64_t finish();

 private:
  void add(const EntrySource& source, const fs::Totals* totals, Directories* directories);

  rt::Executor& executor_;
  const std::size_t group_rows_;
  TableWriter table_;
};

}  // namespace fathom::store

// EntriesWriter: writes entries.parquet from one tree or several.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fathom/fs/sink.h"
#include "fathom/rt/executor.h"
#include "parquet/chunk.h"
#include "parquet/file_writer.h"
#include "snapshot/entry_columns.h"
#include "snapshot/preorder.h"

namespace fathom::store {

class EntriesWriter {
 public:
  // Row groups have `group_rows` rows, the last one of each tree fewer.
  EntriesWriter(rt::Executor& executor, std::size_t group_rows, const fs::Sink& sink);
  ~EntriesWriter();

  // Appends the entries of a tree. The roots of several trees must have ascending names.
  void add(const EntrySource& source);

  // Ends the file. Returns the number of rows.
  std::uint64_t finish();

 private:
  struct Lane;

  rt::Executor& executor_;
  const std::size_t group_rows_;
  ParquetWriter file_;
  std::vector<std::unique_ptr<ChunkEncoder>> encoders_;  // by worker; the first: other threads
  std::vector<Chunk> chunks_;                            // by column
};

}  // namespace fathom::store

// Arrow: the entries of a scan, and tables, for Arrow libraries such as pyarrow, Polars and DuckDB.
//
// The streams are those of the Arrow C stream interface
// (https://arrow.apache.org/docs/format/CStreamInterface.html): two libraries of one process pass
// columns to each other without a common library. Texts are string views, which need Arrow columnar
// format 1.4.
//
//   auto entries = std::make_shared<const EntryTable>(scan, options, executor);
//   ArrowArrayStream stream;
//   stream_entries(entries, {}, stream);   // then stream belongs to the reader

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/table.h"
#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"

// The structures of the specification, under the guards that it prescribes: several libraries may
// define them in one program.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace fathom::store {

class Preorder;

struct EntryTableOptions {
  // The path of each root, by its index in the scan; empty: as scanned.
  std::vector<std::string> roots = {};
  // The text that identifies the filesystem of each device; see fs::filesystem_ids().
  std::map<std::uint64_t, std::string> filesystems = {};
};

// The entries of a scan as rows, in the order and with the columns of docs/SNAPSHOT.md. It takes 4
// bytes per entry and 16 per directory. Any number of threads may read it.
class EntryTable {
 public:
  // The calling thread takes part in the work of the executor.
  EntryTable(std::shared_ptr<const fs::Scan> scan, EntryTableOptions options,
             rt::Executor& executor);
  ~EntryTable();
  EntryTable(const EntryTable&) = delete;
  EntryTable& operator=(const EntryTable&) = delete;

  [[nodiscard]] const fs::Scan& scan() const { return *scan_; }
  [[nodiscard]] const EntryTableOptions& options() const { return options_; }
  [[nodiscard]] const Preorder& order() const { return *order_; }
  [[nodiscard]] std::uint64_t rows() const;

  // The names of the columns.
  [[nodiscard]] static std::vector<std::string_view> columns();

 private:
  const std::shared_ptr<const fs::Scan> scan_;
  const EntryTableOptions options_;
  const std::unique_ptr<const Preorder> order_;
};

// Fills `stream` with the entries, in batches of at most 65,536 rows, each of which is made when
// the reader asks for it, on the thread that asks and those of the executor that the stream owns.
// `columns`: the names of those that are wanted, in their order; empty: all. A name that is not one
// of them throws base::Error.
void stream_entries(std::shared_ptr<const EntryTable> table,
                    const std::vector<std::string>& columns, ArrowArrayStream& stream);

// The same with the entries of a snapshot, which are read column by column: a column that is not
// wanted costs nothing. Batches have at most 16,384 rows.
void stream_entries(std::shared_ptr<const Snapshot> snapshot,
                    const std::vector<std::string>& columns, ArrowArrayStream& stream);

// Fills `stream` with the rows of a table. Its columns have the keys of the table as names. Counts
// and bytes are uint64, times timestamps in seconds, bounds and flags booleans, the rest as in the
// table. Bytes of paths that are not UTF-8 are written as \xHH, and such a table has a column more,
// with the suffix _raw, which has these bytes, and is null elsewhere. `owner` keeps alive what the
// table refers to.
void stream_table(std::shared_ptr<const void> owner, fs::Table table, ArrowArrayStream& stream);

}  // namespace fathom::store

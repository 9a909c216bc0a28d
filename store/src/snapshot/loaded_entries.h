// EntryReader: reads entries.parquet row by row, as entries of a tree.
//
//   EntryReader rows(snapshot.files(), Filesystems::left_out, executor);
//   while (const LoadedEntry* row = rows.next()) add(*row);

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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
  std::uint64_t below = 0;  // how many rows follow that are in this directory or deeper
};

// Whether LoadedEntry::filesystem is filled in.
enum class Filesystems : bool { left_out, read };

// Where a reader is: another one can go on there.
struct RowPlace {
  std::uint64_t row = 0;                 // the next one
  std::vector<std::uint64_t> ends = {};  // of the directories above it
};

// Not for several threads at a time.
class EntryReader {
 public:
  // The calling thread takes part in the work of the executor. Both must outlive the reader. Throws
  // base::Error with the name of the file if it is damaged, as next() does.
  EntryReader(const Snapshot::Files& files, Filesystems filesystems, rt::Executor& executor,
              RowPlace begin = {});
  ~EntryReader();

  // The next row; null at the end. Valid until the next call.
  [[nodiscard]] const LoadedEntry* next();

  [[nodiscard]] const RowPlace& place() const { return place_; }

 private:
  struct Columns;

  void read_page();
  void read_row();

  const std::string& label_;
  const ParquetReader& file_;
  rt::Executor& executor_;
  std::unique_ptr<Columns> columns_;
  std::size_t rows_left_ = 0;  // of the page
  RowPlace place_;
  LoadedEntry loaded_;
};

// The rows of errors.parquet. Throws base::Error with the name of the file if it is damaged.
// Some at a time are in memory.
using ErrorVisitor = std::function<void(fs::ScanError error)>;
void for_each_error(const Snapshot::Files& files, const ErrorVisitor& visit);
[[nodiscard]] std::vector<fs::ScanError> load_errors(const Snapshot::Files& files);

// Decodes every value of entries.parquet and dirs.parquet, also of columns that a scan does not
// need. Throws base::Error, with the name of the file, if one is damaged.
void decode_values(const Snapshot::Files& files);

}  // namespace fathom::store

// FilesWriter: writes the files of a snapshot, wherever they go.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"
#include "parquet/schema.h"
#include "parquet/table_writer.h"
#include "snapshot/directories.h"
#include "snapshot/entries_writer.h"

namespace fathom::store {

// Where a file goes.
class FileTarget {
 public:
  virtual ~FileTarget() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};
using OpenTarget = std::function<std::unique_ptr<FileTarget>(std::string_view name)>;

// Files of an open directory.
[[nodiscard]] OpenTarget targets_in(int folder);

// The checksum of a file, block by block.
class FileHash {
 public:
  FileHash();
  ~FileHash();

  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::string text() const;  // 32 hexadecimal digits

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
};

// The id of a snapshot: a hash of its meta.json, as that is with an empty id.
[[nodiscard]] std::string id_of(std::string_view meta_without_id);

class FilesWriter {
 public:
  FilesWriter(const SnapshotOptions& options, rt::Executor& executor, OpenTarget open);

  // Appends a scan with these roots, which the metadata has already.
  void add(const fs::Scan& scan, std::span<const std::string> roots);
  void add_roots(const std::vector<std::string>& roots);

  // Appends rows that `next` returns, until it returns nothing, and these errors.
  void add(const std::function<std::optional<RowGroup>(std::size_t most)>& next,
           const std::vector<fs::ScanError>& errors, std::uint64_t changed);

  SnapshotMeta finish();

 private:
  // A file that is being written.
  class File {
   public:
    File(std::string_view name, const OpenTarget& open) : name_(name), target_(open(name)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] const fs::Sink& sink() const { return sink_; }
    SnapshotFile finish();

   private:
    std::string name_;
    std::unique_ptr<FileTarget> target_;
    FileHash hash_;
    const fs::Sink sink_ = [this](std::string_view block) {
      hash_.add(block);
      target_->write(block);
      return true;
    };
  };

  void add_table(std::string_view name, const Schema& schema,
                 const std::function<void(TableWriter&)>& write);

  const SnapshotOptions options_;
  rt::Executor& executor_;
  const OpenTarget open_;
  SnapshotMeta meta_;
  File entries_file_;
  EntriesWriter entries_;
  Directories directories_;
  std::vector<fs::ScanError> errors_;
};

}  // namespace fathom::store

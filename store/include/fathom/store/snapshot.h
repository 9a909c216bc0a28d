// Snapshots: the entries of a scan, kept in files, with what is needed to compare them later.
//
// A snapshot is a directory of three Parquet files and meta.json; docs/SNAPSHOT.md describes them.
// Nothing in it is ever modified.
//
//   SnapshotMeta meta = write_snapshot(scan, options, executor, folder);
//
//   Snapshot kept = Snapshot::open("/var/lib/fathom/snapshots/20261123T060000Z-91ab3c0d");
//   fs::Scan scan = kept.load();

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/earlier_scan.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"

namespace fathom::store {

// What was asked for is not there: a snapshot of some name, or a path in one. Any other base::Error
// is about a file that cannot be read.
class NotFound : public base::Error {
 public:
  using base::Error::Error;
};

// A filesystem at the time of the snapshot. In bytes, as df reports them.
struct SnapshotFilesystem {
  std::string fs_uuid;                  // as in the column of the same name; empty if unknown
  std::string type;                     // such as "ext4"; empty if unknown
  std::string mount_point;              // empty if unknown; bytes
  std::vector<std::size_t> roots = {};  // indexes of the roots on it
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  std::uint64_t available = 0;  // to unprivileged users
  std::uint64_t inodes = 0;     // 0: the filesystem does not count inodes
  std::uint64_t free_inodes = 0;
};

// A file of the snapshot, as it was written.
struct SnapshotFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string xxh128;  // 32 hexadecimal digits
};

// meta.json.
struct SnapshotMeta {
  std::string id;                      // 16 hexadecimal digits: a hash of everything else
  std::string tag;                     // empty: none
  std::string writer;                  // the program and its version
  std::string host;                    // where the scan was made; empty for an import
  std::vector<std::string> roots;      // absolute paths; bytes
  std::vector<std::string> selection;  // what decided which entries count: "--exclude=*.o"
  std::uint64_t rules = 0;  // a hash of what the files of --exclude-from contained; 0: none
  bool imported = false;    // from an export: exact times and filesystems are unknown
  // The scan is an interval: what changed during it may be seen before or after its change.
  std::int64_t started_ns = 0;  // since the epoch
  std::int64_t ended_ns = 0;
  fs::Counts totals;
  std::uint64_t errors = 0;                           // rows of errors.parquet
  std::uint64_t changed = 0;                          // entries that disappeared during the scan
  std::vector<SnapshotFilesystem> filesystems;        // that a root is on
  std::vector<SnapshotFilesystem> other_filesystems;  // that are mounted below; they have no roots
  // By fs_uuid, of each subvolume of btrfs, if a later scan may begin with this one. As in
  // fs::EarlierScan.
  std::map<std::string, fs::SubvolumeState> transactions;
  std::map<std::uint32_t, std::string> users;  // the names of owners that occur; bytes
  std::map<std::uint32_t, std::string> groups;
  std::vector<SnapshotFile> files;

  // Whether all of its roots could be read completely.
  [[nodiscard]] bool complete() const { return errors == 0; }
};

// Whether both were selected in the same way. The order of the options does not matter, except that
// of the rules of --exclude, of which the last match decides, and of one option that is repeated.
[[nodiscard]] bool same_selection(const SnapshotMeta& a, const SnapshotMeta& b);

// Writes and reads meta.json. parse_meta() throws base::Error, with a sentence about the file that
// follows its name, for anything that write_meta() does not write; a later version may add members.
[[nodiscard]] std::string write_meta(const SnapshotMeta& meta);
[[nodiscard]] SnapshotMeta parse_meta(std::string_view text);

struct SnapshotOptions {
  // The facts about the scan that meta.json has: tag, writer, host, roots, selection, imported,
  // times, filesystems, owners. The rest is filled in.
  SnapshotMeta meta;
  // The identity of each device; see fs::filesystem_ids().
  std::map<std::uint64_t, std::string> filesystem_ids = {};
  std::size_t group_rows = 128 * 1024;
};

// Writes a snapshot of several scans, one after the other, so that not all of them need to be in
// memory at a time. What it keeps is about 150 bytes per directory.
//
//   SnapshotWriter writer(options, executor, folder);
//   for (...) writer.add(scan, roots);
//   SnapshotMeta meta = writer.finish();
class SnapshotWriter {
 public:
  // `folder` is an open and empty directory. See write_snapshot().
  SnapshotWriter(const SnapshotOptions& options, rt::Executor& executor, int folder);
  ~SnapshotWriter();

  // Appends a scan. `roots` are the absolute paths of its roots; all roots must be distinct, come
  // in ascending order, and none may be inside of another one. They are added to the metadata.
  void add(const fs::Scan& scan, const std::vector<std::string>& roots);

  // Writes the rest. Without this call, the files are not a snapshot.
  SnapshotMeta finish();

 private:
  class Files;
  std::unique_ptr<Files> files_;
};

// Writes the files of a snapshot into an empty directory, which is open as `folder`, and syncs each
// to the disk; syncing the directory is left to the caller. Returns what meta.json says.
// The calling thread takes part in the work of the executor. Throws base::SystemError if a file
// cannot be written: the files so far stay, and are not a snapshot, because meta.json comes last.
SnapshotMeta write_snapshot(const fs::Scan& scan, const SnapshotOptions& options,
                            rt::Executor& executor, int folder);

// A snapshot that is open for reading. Any number of threads may read it. Its files may be removed
// meanwhile.
class Snapshot {
 public:
  // Opens the directory of a snapshot. Throws base::Error, with a sentence that names the path, if
  // it is not one, is of a later version, or a file is missing or damaged. Only the indexes of the
  // files are read.
  [[nodiscard]] static Snapshot open(const std::string& path);
  // The same; `name` is used in messages.
  [[nodiscard]] static Snapshot open(int folder, const std::string& name);

  // A scan that is compared without being kept: its files are in memory, about 15 bytes per entry.
  // Throws base::Error soon after it is cancelled.
  [[nodiscard]] static Snapshot of(const fs::Scan& scan, const SnapshotOptions& options,
                                   rt::Executor& executor, const rt::CancelToken& cancel = {});

  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  [[nodiscard]] const SnapshotMeta& meta() const;
  // Of entries.parquet. More than the entries that count if a selection left directories out.
  // Throws base::Error if the file is damaged.
  [[nodiscard]] std::uint64_t rows() const;

  // Reads everything, as a scan whose tree has exact times. Throws base::Error if a file is
  // damaged.
  [[nodiscard]] fs::Scan load() const;
  // The same for a scan that only looks at what has changed since.
  [[nodiscard]] fs::EarlierScan load_earlier() const;

  // Reads every value and compares the files with their checksums. Returns a sentence about the
  // first fault, or nothing.
  [[nodiscard]] std::optional<std::string> verify() const;

  // The files, for the parts of this library.
  struct Files;
  explicit Snapshot(std::unique_ptr<Files> files);
  [[nodiscard]] const Files& files() const;

 private:
  std::unique_ptr<Files> files_;
};

}  // namespace fathom::store

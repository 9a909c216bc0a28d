// find_duplicates: which files of a tree have the same content.
//
// Guarantees: two files are in one group only if every byte of theirs was read and compared equal,
// while neither changed. Names of one inode are one file. What could not be read, or changed
// meanwhile, is in no group, and told. The groups are the same on every run and for every number of
// threads. Memory does not grow with the size of files, nor with how many there are of one size,
// but for a few dozen bytes each; no more than a few files are open at a time.
//
//   fs::Scan found = fs::scan(options);
//   fs::Duplicates same = fs::find_duplicates(found.tree, {.min_size = 4096});
//   for (const fs::DuplicateGroup& group : same.groups) ...

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/observer.h"

namespace fathom::fs {

// What tells a file from all others, and one state of it from the next.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     // bytes
  std::int64_t mtime_ns = 0;  // nanoseconds since the epoch, as is the next
  std::int64_t ctime_ns = 0;  // no program can set it
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct DuplicateFile {
  NodeId node = kNoNode;      // the smallest of its paths
  std::uint32_t storage = 0;  // files of a group with the same number share all their blocks
  FileIdentity identity;      // while it was read
  std::vector<NodeId> links;  // its other names that the scan found, by path
};

struct DuplicateGroup {
  std::uint64_t size = 0;            // of each, in bytes
  std::uint64_t wasted_bytes = 0;    // on the disk: of all storages but the one that takes the most
  std::vector<DuplicateFile> files;  // two or more, by path
};

struct DuplicateProgress {
  std::uint64_t files = 0;        // that have been dealt with
  std::uint64_t files_total = 0;  // that have the size of another one
  std::uint64_t bytes = 0;        // of theirs that have been read or need not be
  std::uint64_t bytes_total = 0;
  std::uint64_t groups = 0;        // confirmed so far
  std::uint64_t wasted_bytes = 0;  // by those
  double seconds = 0;
};

struct DuplicateOptions {
  std::uint64_t min_size = 1;  // bytes; 0: empty files, too
  unsigned threads = 0;        // that compare; 0: default_concurrency()

  // Gives the page cache back what was read.
  bool drop_cache = false;

  // As for ScanOptions. What was confirmed until then is returned.
  rt::CancelToken cancel = {};
  std::function<void(const DuplicateProgress&)> progress = {};
  std::chrono::milliseconds progress_interval{100};

  // As for ScanOptions. The phases are "candidates", "read", "compare" and "order", the figures
  // "files compared", "bytes compared" and "queue".
  const rt::Observer* observer = nullptr;

  // Called with each group as it is confirmed, in no order, by one thread at a time.
  std::function<void(const DuplicateGroup&)> found = {};
};

struct Duplicates {
  std::vector<DuplicateGroup> groups;  // by wasted bytes, the most first, then by path
  std::vector<ScanError> errors;       // by path: files that could not be read, "open" or "read"
  std::vector<NodeId> changed;         // by path: files that changed since they were scanned
  std::uint64_t files = 0;             // in groups: each inode once
  std::uint64_t wasted_bytes = 0;
  std::uint64_t candidates = 0;  // files that have the size of another one
  std::uint64_t bytes_read = 0;
  unsigned threads = 0;
  double seconds = 0;
  bool cancelled = false;

  [[nodiscard]] bool complete() const { return errors.empty() && changed.empty() && !cancelled; }
};

// The tree must be that of a scan of this machine, not of an import. Throws base::Error when no
// thread could be started, and std::bad_alloc.
[[nodiscard]] Duplicates find_duplicates(const Tree& tree, const DuplicateOptions& options = {});

}  // namespace fathom::fs

// find_duplicates: the files of a tree that have the same content.
//
// Guarantees: two files are in one group only if all of their bytes were read and compared equal,
// and neither file changed in the meantime; with a memory (compared_files.h), perhaps by an earlier
// search. Names of one inode are one file. A file that could not be read, or that changed, is in no
// group and is reported. What is set aside (base/set_aside.h), in a quarantine of Fathom or in a
// trash, is in no group: a copy that is kept there is gone when that is emptied. The groups are the
// same on every run and for every number of threads.
// Memory does not grow with the size of files; it grows with the number of candidates by a few
// dozen bytes each. Only a few files are open at a time.
//
//   fs::Scan found = fs::scan(options);
//   fs::Duplicates same = fs::find_duplicates(found.tree, {.min_size = 4096});
//   for (const fs::DuplicateGroup& group : same.groups) ...

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fathom/fs/compared_files.h"
#include "fathom/fs/file_identity.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/observer.h"

namespace fathom::fs {

// Instead of the index of the file that is kept: the group is left alone.
inline constexpr std::uint32_t kNoneKept = 0xffffffff;

struct DuplicateFile {
  NodeId node = kNoNode;      // the smallest of its paths
  std::uint32_t storage = 0;  // files of a group with the same value share all their blocks
  FileIdentity identity;      // when it was read
  std::vector<NodeId> links;  // its other names in the scan, by path; none that is set aside
};

struct DuplicateGroup {
  std::uint64_t size = 0;            // of each, in bytes
  std::uint64_t wasted_bytes = 0;    // on the disk: all storages except the one that takes the most
  std::vector<DuplicateFile> files;  // two or more, by path
};

struct DuplicateProgress {
  std::uint64_t files = 0;        // finished
  std::uint64_t files_total = 0;  // candidates
  std::uint64_t bytes = 0;        // of candidates, read or skipped as unnecessary
  std::uint64_t bytes_total = 0;
  std::uint64_t groups = 0;        // confirmed so far
  std::uint64_t wasted_bytes = 0;  // in those groups
  double seconds = 0;
};

// When the tree was scanned.
enum class ScanAge : std::uint8_t {
  fresh,  // right before
  saved,  // some time ago, on this machine; with inode numbers and times
};

struct DuplicateOptions {
  std::uint64_t min_size = 1;  // bytes; 0: include empty files
  // Of a saved scan, files and names that are not there any more count as changed.
  ScanAge age = ScanAge::fresh;
  unsigned threads = 0;             // for comparing; 0: default_concurrency()
  std::size_t max_descriptors = 0;  // as for ScanOptions

  // Not of a saved scan: what earlier searches have learned, so that only what has changed is read.
  // The tree needs exact times (ScanOptions::read_times).
  const DuplicateMemory* memory = nullptr;

  // Drops what was read from the page cache.
  bool drop_cache = false;

  // As for ScanOptions. The groups that were confirmed so far are returned.
  rt::CancelToken cancel = {};
  std::function<void(const DuplicateProgress&)> progress = {};
  std::chrono::milliseconds progress_interval{100};

  // As for ScanOptions. The phases are "candidates", "read", "compare" and "order"; the figures are
  // "files compared", "bytes compared" and "queue".
  const rt::Observer* observer = nullptr;

  // Called with each group as it is confirmed, in no particular order, by one thread at a time.
  std::function<void(const DuplicateGroup&)> found = {};
};

struct Duplicates {
  std::vector<DuplicateGroup> groups;  // by wasted bytes, the most first, then by path
  std::vector<ScanError> errors;       // by path: unreadable files; operation "open" or "read"
  std::vector<NodeId> changed;         // by path: files that changed since they were scanned
  std::uint64_t files = 0;             // in groups; each inode once
  std::uint64_t wasted_bytes = 0;
  std::uint64_t candidates = 0;  // files that have the same size as another one
  std::uint64_t bytes_read = 0;
  std::uint64_t recalled = 0;  // candidates that were known from earlier searches
  ComparedFiles learned;       // for later searches, if there was a memory; not if cancelled
  unsigned threads = 0;
  double seconds = 0;
  bool cancelled = false;

  [[nodiscard]] bool complete() const { return errors.empty() && changed.empty() && !cancelled; }
};

// The tree must come from a scan of this machine, not from an import of an export, which lacks
// inode numbers. Throws base::Error if no thread could be started, and std::bad_alloc.
[[nodiscard]] Duplicates find_duplicates(const Tree& tree, const DuplicateOptions& options = {});

}  // namespace fathom::fs

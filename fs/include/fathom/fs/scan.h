// scan: walks filesystems and returns the result as a tree.
//
// Guarantees: every entry below the roots is in the tree once per name, or an error says why not.
// Symbolic links are never followed, nothing outside the roots is ever opened, the scan never
// triggers an automount (autofs), and no stack grows with the depth of the tree. The result is the
// same for every engine and every number of threads, except for node numbers and timing.
//
//   fs::ScanOptions options;
//   options.roots = {"/srv", "/home"};
//   fs::Scan found = fs::scan(options);
//   fs::Totals totals(found.tree);

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/earlier_scan.h"
#include "fathom/fs/engine.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/selection.h"
#include "fathom/fs/shard.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/observer.h"

namespace fathom::fs {

// An item that could not be read. The tree's sums above it are lower bounds.
struct ScanError {
  std::string path;
  const char* operation = "";  // "open", "list" or "stat"
  int code = 0;                // errno; 0: unknown, for example from an export without it
};

// Orders errors as Scan::errors has them, and removes those that occur twice, which roots and
// shards that overlap cause.
void order_errors(std::vector<ScanError>& errors);

// The system's message for the error.
[[nodiscard]] std::string message_of(const ScanError& error);

// An entry that the selection excludes, with everything below it. Nothing else is known of it.
struct ExcludedEntry {
  DirId in = kNoDir;
  std::string name;
  Excluded why = Excluded::pattern;
};

// How the inodes of a filesystem were read, for engines that read in bulk.
struct VolumeFacts {
  std::uint64_t device = 0;
  std::string path;                // of the directory where the scan met it
  bool is_image = false;           // the path is a file or a device, and a root of the scan
  Engine type = Engine::lockfree;  // btrfs, ext4 or xfs, if it is one of these
  std::string why_walked;          // why it was not read in bulk; empty if it was
  std::uint64_t inodes = 0;        // that were read in bulk
  // Why nothing was taken from ScanOptions::earlier; empty if there was none, or if it was used.
  std::string why_anew = {};
  bool is_frozen = false;  // a snapshot of it was read, see ScanOptions::freeze
  // Of a subvolume of btrfs. A later scan may begin with this one if the filesystem is flushed
  // after it: otherwise a crash takes back what was seen.
  SubvolumeState state = {};
};

struct Scan;

struct Progress {
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;  // hard links not yet resolved: may exceed the final figure
  double seconds = 0;
  std::string directory;  // a directory that is being read; empty before the first
  // Directories without progress for ScanOptions::stuck_after, in no particular order.
  std::vector<std::string> stuck;

  // Returns what has been found so far, as a scan that is `running`: everything that works on a
  // finished scan works on it, such as Totals, Children and the reports. The snapshot belongs to
  // the caller, is immutable and outlives the scan; any thread may read it. It shares the entries
  // with the scan; its cost is that of resolving hard links.
  //
  // Every entry is there with all directories above it, and will be in the final result too. Except
  // for bytes that turn out to be counted at a smaller path, its sums are lower bounds, although no
  // directory is flagged as such. Errors and flags are those known at that time. It has neither the
  // targets of symbolic links nor the excluded entries; roots that were not reached are kNoNode.
  //
  // Call it only within ScanOptions::progress, on that thread.
  std::function<Scan()> snapshot = nullptr;
};

struct ScanOptions {
  std::vector<std::string> roots;
  Engine engine = Engine::lockfree;

  // 0: default_concurrency() threads and, with the lockfree engine, more while they wait for the
  // disk.
  unsigned threads = 0;

  // What to exclude, and what to count of the rest.
  Selection selection;

  // The most files that the scan has open at a time; fewer make it slower. 0: as many as the
  // process may open beside those that it has open at the start.
  std::size_t max_descriptors = 0;

  // Reads the targets of symbolic links (Tree::link_target()), and whether they exist. This looks
  // outside the roots, opens nothing, and costs two calls per link.
  bool read_links = false;

  // Reads the times that Tree::times() returns. They take 24 bytes per entry.
  bool read_times = false;

  // The most filesystem operations per second (opens, blocks of names, metadata, links, cache
  // tags), all threads together, so that other programs can use the disk; 0: no limit.
  std::uint64_t max_operations_per_second = 0;

  // Scans only a part.
  std::optional<Shard> shard;

  // An earlier scan with the same selection, from which what has not changed is taken. Called at
  // most once, by any thread, and only for a filesystem that can use it: with the engines that read
  // in bulk, btrfs and XFS; with others, all, and it must know what has changed. May return null.
  std::function<std::shared_ptr<const EarlierScan>()> earlier;

  // How long a directory that is being read may make no progress before it counts as stuck.
  std::chrono::milliseconds stuck_after{3000};

  // Makes a read-only snapshot of the btrfs subvolume whose top directory is open, and returns a
  // descriptor of the top directory of that, which it closes and removes with the last reference.
  // The scan reads it instead, so that all of the subvolume is of one moment. Called by any thread,
  // one at a time, with the engines that read in bulk. Throws base::Error: then the subvolume is
  // walked. Null: the subvolume itself is read.
  std::function<std::shared_ptr<const base::Fd>(int directory)> freeze;

  // Stops the scan soon after it is cancelled; what was found so far is returned. The thread that
  // called scan() calls expire() at the start and about every 10 ms, so deadlines and signals need
  // no other thread.
  rt::CancelToken cancel;

  // Called every progress_interval (at least 1 ms), on the thread that called scan(). A call may be
  // about 10 ms late, which does not delay the next one; overlapping calls are merged.
  std::function<void(const Progress&)> progress;
  std::chrono::milliseconds progress_interval{100};

  // Notified of what the threads do: their tasks, "list" for a block of names, "stat" for the
  // metadata of its entries, "snapshot" for Progress::snapshot, and "links" at the end; and of the
  // figures "entries" and "queue" (waiting work items), about every 10 ms. May be null.
  const rt::Observer* observer = nullptr;
};

struct Scan {
  Tree tree;
  std::vector<ScanError> errors;  // by path, then errno
  std::vector<std::string> roots;
  Engine engine = Engine::lockfree;
  unsigned threads = 0;                 // the most that were used
  double seconds = 0;                   // wall time of the walk and of resolving hard links
  std::vector<ExcludedEntry> excluded;  // in no particular order
  // Of a shard: the paths of the entries that it has listed but not looked at, sorted. That of a
  // directory that is known to be one ends with a slash.
  std::vector<std::string> rest;
  std::uint64_t above = 0;  // directories above those where it began: earlier shards have them, too
  std::vector<FilesystemFacts> filesystems;  // filled by the caller, as in filesystem_facts.h
  std::uint64_t filtered_out = 0;            // names that were read but do not match the selection
  std::uint64_t changed = 0;         // entries that disappeared between being listed and being read
  std::vector<VolumeFacts> volumes;  // of engines that read in bulk, by device
  std::uint64_t asked =
      0;  // names on such filesystems whose metadata had to be asked of the kernel
  bool cancelled = false;
  bool running = false;                   // this is a snapshot; see Progress::snapshot
  std::optional<OwnerNames> saved_names;  // of a saved scan that has them

  // The names that the system had at the time of the scan if they were saved, or else has now.
  [[nodiscard]] OwnerNames owner_names() const {
    return saved_names ? *saved_names : system_owner_names();
  }
  [[nodiscard]] bool complete() const { return errors.empty() && !cancelled && !running; }
};

// Throws base::Error if there is no root, if no thread could be started, if the roots of a shard
// contain each other, or if a path of its rest is in none of them. An item that cannot be read
// is not an exception but an element of Scan::errors.
[[nodiscard]] Scan scan(const ScanOptions& options);

}  // namespace fathom::fs

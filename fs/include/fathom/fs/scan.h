// scan: walks filesystems and returns what it found as a tree.
//
// Guarantees: every entry below the roots stands in the tree once per name, or an error says why
// not. Symbolic links are never followed, nothing outside the roots is ever opened, nothing below
// them is mounted by going there (autofs), and no stack grows with the depth of the tree. The
// result is the same for every engine and every number of threads, but for node numbers and timing.
//
//   fs::ScanOptions options;
//   options.roots = {"/srv", "/home"};
//   fs::Scan found = fs::scan(options);
//   fs::Totals totals(found.tree);

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/selection.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/observer.h"

namespace fathom::fs {

// How the work is shared among threads. All find the same; the benchmarks compare them.
enum class Engine : std::uint8_t {
  serial,    // one thread, depth first
  pool,      // one queue, one mutex, one condition variable
  steal,     // a mutex-guarded deque per worker; the idle take half of another's
  lockfree,  // the runtime's executor: Chase-Lev deques and parking
};

[[nodiscard]] std::string_view to_string(Engine engine);
[[nodiscard]] std::optional<Engine> parse_engine(std::string_view name);

// Something that could not be read. The tree's sums above it are lower bounds.
struct ScanError {
  std::string path;
  const char* operation = "";  // "open", "list" or "stat"
  int code = 0;                // errno; 0: not known, as of an export that does not tell it
};

// What the system says about the error, for people.
[[nodiscard]] std::string message_of(const ScanError& error);

// An entry that the selection leaves out, with all below it. Nothing else is known of it.
struct ExcludedEntry {
  DirId in = kNoDir;
  std::string name;
  Excluded why = Excluded::pattern;
};

struct Scan;

struct Progress {
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;  // hard links not yet settled: may exceed the final figure
  double seconds = 0;
  std::string directory;  // one that is being read; empty before the first
  // Those of which nothing has been heard for ScanOptions::stuck_after, in no order.
  std::vector<std::string> stuck;

  // What has been found until now, as a scan that is `running`: whatever works on a finished one
  // works on it, such as Totals, Children and the reports. It is the caller's for good, stays as it
  // is whatever becomes of the scan, and any thread may read it. Shares the entries with the scan,
  // and costs what it costs to settle them.
  //
  // What it holds is there with all directories above it, and the scan's result will hold it too;
  // but for bytes that turn out to be counted at a smaller path, its sums are lower bounds, and no
  // directory is marked for that. Errors and marks are those that were known by then. It tells
  // neither where symbolic links lead nor what was left out; roots that were not reached are
  // kNoNode.
  //
  // To be called only within the call of ScanOptions::progress, on its thread.
  std::function<Scan()> snapshot = nullptr;
};

struct ScanOptions {
  std::vector<std::string> roots;
  Engine engine = Engine::lockfree;

  // 0: as many as default_concurrency(), and, with the lockfree engine, more while they wait for
  // the disk.
  unsigned threads = 0;

  // What to leave out, and what to count of the rest.
  Selection selection;

  // Reads where symbolic links lead (Tree::link_target()), and whether anything is there. This
  // looks outside the roots, opens nothing, and costs two calls for each link.
  bool read_links = false;

  // Asks the kernel for so many things a second at most (opens, blocks of names, metadata, links,
  // tags of caches), on all threads together, so that others get at the disk; 0: as many as it can.
  std::uint64_t max_operations_per_second = 0;

  // How long a directory that is being read may give no sign of life before it counts as stuck.
  std::chrono::milliseconds stuck_after{3000};

  // Stops the scan soon after it is cancelled; what was found until then is returned. The thread
  // that called scan() calls expire() at the start and about every 10 ms: deadlines and signals
  // need nobody else.
  rt::CancelToken cancel;

  // Called every progress_interval (at least 1 ms), on the thread that called scan(). A call may be
  // about 10 ms late, which does not delay the next; calls that would come together are one.
  std::function<void(const Progress&)> progress;
  std::chrono::milliseconds progress_interval{100};

  // Is told what the threads do: their tasks, "list" for a block of names, "stat" for what is asked
  // about those of one, "snapshot" for Progress::snapshot, at the end "links"; and the figures
  // "entries" and "queue", the directories that wait, about every 10 ms. Null: nobody.
  const rt::Observer* observer = nullptr;
};

struct Scan {
  Tree tree;
  std::vector<ScanError> errors;  // by path, then errno
  std::vector<std::string> roots;
  Engine engine = Engine::lockfree;
  unsigned threads = 0;                      // that were used at most
  double seconds = 0;                        // wall time of the walk and of settling
  std::vector<ExcludedEntry> excluded;       // in no order
  std::vector<FilesystemFacts> filesystems;  // left to the caller: gather_filesystem_facts()
  std::uint64_t filtered_out = 0;  // names that were looked at and are not what the selection wants
  std::uint64_t changed = 0;       // entries that vanished between being listed and being looked at
  bool cancelled = false;
  bool running = false;  // when this was taken: see Progress::snapshot

  [[nodiscard]] bool complete() const { return errors.empty() && !cancelled && !running; }
};

// Throws base::Error when there is no root or when no thread could be started; what cannot be read
// is no exception but an entry of Scan::errors.
[[nodiscard]] Scan scan(const ScanOptions& options);

}  // namespace fathom::fs

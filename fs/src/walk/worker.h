// Worker: one thread of a walk: records what it finds, and where it is.
//
// Only its own thread calls it, except where stated. Other threads read the counters, the errors
// and the current directory about ten times a second, so an entry costs no lock.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/mutex.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree_builder.h"
#include "os/os.h"
#include "walk/budget.h"
#include "walk/directory.h"
#include "walk/pacer.h"
#include "walk/subdirectories.h"

namespace fathom::fs {

class alignas(base::kCacheLine) Worker {
 public:
  // What the workers of a walk share: constants, and what is thread-safe.
  struct Shared {
    const ScanOptions& options;
    std::optional<Pacer> pacer{};    // if the rate is limited
    std::optional<Budget> budget{};  // of a shard
    TreeBuilder builder{options.read_times};
    // By root; each is written by the worker that visits it, before it goes on from there.
    std::vector<base::atomic<NodeId>> root_nodes;
    base::atomic<bool> failed{false};      // a thread threw
    base::atomic<std::uint64_t> reads{0};  // of volumes: while it grows, nobody is stuck
  };

  // `index` is its number in the engine. What is shared must outlive the worker.
  Worker(Shared& walk, unsigned index) : walk_(walk), index_(index), rows_(walk.builder) {}

  [[nodiscard]] unsigned index() const { return index_; }
  [[nodiscard]] bool stopping() const {
    return walk_.failed.load(base::memory_order_relaxed) || walk_.options.cancel.cancelled();
  }

  // What to ask of the metadata of an entry that is added.
  [[nodiscard]] os::Wanted wanted() const {
    return walk_.options.read_times ? os::Wanted::with_times : os::Wanted::without_times;
  }

  // Call it before each system call on the filesystem: waits for its slot if the rate is limited,
  // but not longer than until the walk is stopped.
  void pace() {
    if (walk_.pacer) wait_for_turn();
  }

  // Whether another entry may be looked at, or the shard has to leave it to others.
  bool take() { return !walk_.budget || walk_.budget->take(); }
  [[nodiscard]] bool spent() const { return walk_.budget && walk_.budget->spent(); }
  // `path` is as in Scan::rest.
  void leave(std::string path) { rest_.push_back(std::move(path)); }
  void count_above() { ++above_; }

  // The directory that is processed from now on, which must exist until the next call; or null.
  void set_current(const Directory* directory);

  // Count an entry and add it to the tree, unless it is a non-directory that does not match the
  // selection. `at` is the open directory `in`; `picked` says whether Selection::only picks it.
  DirId add_directory(const Directory& directory, const Entry& entry);
  NodeId add(int at, DirId in, const char* name, const Entry& entry, bool picked);
  // Whether Selection::only picks a root that is not a directory.
  [[nodiscard]] bool picks_root(std::string_view path) const {
    return walk_.options.selection.picks(path.substr(path.rfind('/') + 1), false);
  }
  // For a root, stores its node.
  void place_root(const Directory& directory, NodeId node);

  // What was not read: excluded, or not there any more, or with an errno. The last two mark the
  // directory `in` as incomplete, unless it is kNoDir.
  void exclude(DirId in, std::string_view name, Excluded why);
  void count_changed();
  void count_asked() { ++asked_; }
  void report(const char* operation, std::string path, int error, DirId in);
  void mark_incomplete(DirId in) {
    if (in != kNoDir) rows_.mark_incomplete(in);
  }

  // For any thread. The copy is without excluded entries.
  [[nodiscard]] std::uint64_t entries() const { return entries_.load(base::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t disk_bytes() const {
    return disk_bytes_.load(base::memory_order_relaxed);
  }
  void copy_to(Scan& scan);

  // Moves the results; call it when the thread has ended.
  void move_to(Scan& scan);

  // The current directory, for one thread at a time. `now` is the time since the start.
  struct Place {
    std::string path;    // empty: none
    bool still = false;  // it was the current one at the last call as well
    bool stuck = false;  // and nothing was found for ScanOptions::stuck_after
  };
  [[nodiscard]] Place place(std::chrono::nanoseconds now);

  // Buffers for the Lister.
  std::unique_ptr<Subdirectories> subdirectories;  // of the directory that is being listed
  os::NameBlock names;                             // of the directory that is being listed
  std::string path_in_root;                        // of that directory; only if needed

 private:
  void wait_for_turn();
  void count(const Entry& entry);
  [[nodiscard]] bool read_link(int at, const char* name, LinkTarget& target);

  Shared& walk_;
  const unsigned index_;
  TreeBuilder::Appender rows_;
  std::string link_target_;  // the last one that was read
  std::vector<ExcludedEntry> excluded_;
  std::vector<std::string> rest_;
  std::uint64_t above_ = 0;
  std::uint64_t asked_ = 0;
  base::atomic<std::uint64_t> filtered_out_{0};
  base::atomic<std::uint64_t> changed_{0};
  base::atomic<std::uint64_t> entries_{0};
  base::atomic<std::uint64_t> disk_bytes_{0};
  base::atomic<bool> waits_for_turn_{false};  // for the rate limit, not for the kernel
  base::Mutex mutex_ = base::named_mutex("walk: where a worker is");
  const Directory* current_ = nullptr;  // guarded by mutex_; exists while it is stored here
  std::uint64_t visits_ = 0;            // guarded by mutex_; how often current_ was set
  std::vector<ScanError> errors_;       // guarded by mutex_

  // What place() saw last, and since when it has not changed; used only there.
  std::uint64_t seen_visits_ = 0;
  std::uint64_t seen_entries_ = 0;
  std::chrono::nanoseconds seen_since_{0};
};

}  // namespace fathom::fs

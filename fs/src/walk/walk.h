// Walk: opens directories, reads their names and the metadata of their entries, and adds them to
// the tree.
//
// One Walk serves one scan. Its workers share no state per entry: each has its own Appender, errors
// and counters.

#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree_builder.h"
#include "os.h"
#include "walk/automounts.h"
#include "walk/directory.h"
#include "walk/pacer.h"

namespace fathom::fs {

class Walk {
 public:
  // `workers` is the maximum number of workers, and `held` that of directories kept open. The
  // options and the engine must outlive the walk.
  Walk(const ScanOptions& options, WorkEngine& engine, unsigned workers, std::size_t held);
  ~Walk();
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // Runs until it is finished or cancelled. Throws what a worker threw, which can only be
  // std::bad_alloc or an error of the tree.
  void run(std::chrono::milliseconds interval, const Tick& tick);

  // The progress so far; call it from one thread at a time. `now` is the time since the start.
  [[nodiscard]] Progress progress(std::chrono::nanoseconds now);

  // The number of entries found so far.
  [[nodiscard]] std::uint64_t entries() const;

  // Adds what has been found so far, except excluded entries; any thread may call it during the
  // walk.
  void snapshot(Scan& scan);

  // Moves the results into `scan`; call it after run().
  void finish(Scan& scan);

  // For Directory and its batches.
  void visit(Directory& directory, unsigned worker) noexcept;
  void visit_names(Directory& directory, const os::NameBlock& names, unsigned worker) noexcept;
  HeldDescriptors& held() { return held_; }

  // Call it before each system call on the filesystem: waits for its slot if the rate is limited,
  // but not longer than until the scan is stopped.
  void pace(unsigned worker) {
    if (pacer_) wait_for_turn(worker);
  }

 private:
  struct Worker;

  class Batch;

  [[nodiscard]] bool stopping() const;
  void wait_for_turn(unsigned worker);
  void fail(std::exception_ptr failure) noexcept;
  void cut_off(const Directory* directory, Worker& worker);
  template <class Body>
  void guarded(Worker& worker, Directory& directory, Body body) noexcept;

  // One directory: opening it, adding it to the tree, listing it.
  void open(Directory& directory, Worker& worker);
  bool enter(Directory& directory, int descriptor, Worker& worker);
  void cannot_open(Directory& directory, int at, int error, Worker& worker);
  void list(Directory& directory, Worker& worker);

  // Its names.
  int read_names(const Directory& directory, Worker& worker);
  bool share(Directory& directory, Worker& worker);
  void look_at(Directory& directory, const os::NameBlock& names, Worker& worker);
  void look_at(Directory& directory, const os::RawName& name, Worker& worker);
  bool excludes(const Directory& in, std::string_view name, bool directory, Worker& worker);
  void exclude(const Directory& in, std::string_view name, Excluded why, Worker& worker);
  void spawn(Directory& in, const char* name, Worker& worker);

  // Its entries.
  DirId add_directory(Directory& directory, const Entry& entry, Worker& worker);
  NodeId add(int at, DirId in, const char* name, const Entry& entry, Worker& worker);
  std::optional<LinkTarget> read_link(int at, const char* name, Worker& worker);
  void count(const Entry& entry, Worker& worker);
  [[nodiscard]] bool looks_first(const Directory& directory) const;
  [[nodiscard]] bool is_elsewhere(const Directory& directory, int at, Worker& worker);
  [[nodiscard]] bool is_elsewhere(const Directory* in, const Entry& entry,
                                  std::uint64_t mount) const;
  [[nodiscard]] std::optional<Excluded> reason_to_exclude(const Directory& directory,
                                                          int descriptor, const Entry& entry,
                                                          std::uint64_t mount, unsigned worker);
  [[nodiscard]] bool is_kernel_filesystem(int descriptor, unsigned worker);
  [[nodiscard]] bool is_tagged_cache(int descriptor, unsigned worker);
  void report(const char* operation, std::string path, int error, const Directory* in,
              Worker& worker);
  void place_root(const Directory& root, NodeId node);

  const ScanOptions& options_;
  WorkEngine& engine_;
  HeldDescriptors held_;
  std::optional<Pacer> pacer_;  // if the rate is limited
  const Automounts automounts_;
  TreeBuilder builder_;
  std::vector<std::unique_ptr<Worker>> workers_;
  // By root; each is written by the worker that visits it, before it goes on from there.
  std::vector<base::atomic<NodeId>> root_nodes_;
  base::atomic<bool> failed_{false};  // a worker threw
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first one; guarded by failure_mutex_
};

}  // namespace fathom::fs

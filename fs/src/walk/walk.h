// Walk: opens directories, reads their names and the metadata of their entries, and adds them to
// the tree.
//
// One Walk serves one scan. A Directory is opened (opening.h) and then listed (lister.h), within
// its Borders, by a Worker, which records what they find.

#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/engine.h"
#include "fathom/fs/scan.h"
#include "os/os.h"
#include "walk/borders.h"
#include "walk/directory.h"
#include "walk/lister.h"
#include "walk/subdirectories.h"
#include "walk/volumes.h"
#include "walk/worker.h"

namespace fathom::fs {

class Walk final : private DirectoryVisitor {
 public:
  // `workers` is the maximum number of workers, and `held` that of directories kept open. The
  // options and the engine must outlive the walk.
  Walk(const ScanOptions& options, WorkEngine& engine, unsigned workers, std::size_t held);
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // Runs until it is finished or cancelled. Throws what a worker threw, which can only be
  // std::bad_alloc or an error of the tree.
  void run(std::chrono::milliseconds interval, const Tick& tick);

  // The time of a shard is over: what is not looked at yet is left.
  void end_budget();

  // The progress so far; call it from one thread at a time. `now` is the time since the start.
  [[nodiscard]] Progress progress(std::chrono::nanoseconds now);

  // The number of entries found so far.
  [[nodiscard]] std::uint64_t entries() const;

  // Adds what has been found so far, except excluded entries; any thread may call it during the
  // walk.
  void snapshot(Scan& scan);

  // Moves the results into `scan`; call it after run().
  void finish(Scan& scan);

 private:
  // For Directory and its batches.
  void visit(Directory& directory, unsigned worker) noexcept override;
  void visit_names(Directory& directory, const os::NameBlock& names,
                   unsigned worker) noexcept override;
  void visit_subdirectories(Subdirectories& waiting, unsigned worker) noexcept override;
  HeldDescriptors& held() override { return held_; }

  void spawn(std::unique_ptr<Subdirectories> waiting, unsigned worker);
  static bool is_new(const Directory& directory);
  void fail(std::exception_ptr failure) noexcept;
  template <class Body>
  void guarded(Directory& directory, Worker& worker, Body body) noexcept;

  WorkEngine& engine_;
  HeldDescriptors held_;
  std::vector<Pending> pending_;  // by root, if the shard does not begin at the roots
  Worker::Shared shared_;
  const Borders borders_;
  Volumes volumes_;
  const Lister lister_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first one; guarded by failure_mutex_
};

}  // namespace fathom::fs

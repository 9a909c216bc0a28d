// Walk: a work item per directory opens it, lists it, and spawns work items for its subdirectories.

#include "walk/walk.h"

#include <algorithm>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/memory_tag.h"
#include "fathom/base/saturating.h"
#include "walk/opening.h"

namespace fathom::fs {

Walk::Walk(const ScanOptions& options, WorkEngine& engine, unsigned workers, std::size_t held)
    : engine_(engine),
      held_(held),
      pending_(options.shard ? pending_in(options.roots, options.shard->from)
                             : std::vector<Pending>()),
      shared_{.options = options,
              .root_nodes = std::vector<base::atomic<NodeId>>(options.roots.size())},
      borders_(options.selection),
      volumes_(options,
               [this] {
                 shared_.reads.fetch_add(1, base::memory_order_relaxed);
                 return shared_.failed.load(base::memory_order_relaxed) ||
                        shared_.options.cancel.cancelled();
               }),
      lister_(options, borders_, engine) {
  for (auto& root : shared_.root_nodes) root.store(kNoNode, base::memory_order_relaxed);
  const std::uint64_t rate = options.max_operations_per_second;
  if (rate > 0) shared_.pacer.emplace(rate, base::monotonic_now().time_since_epoch());
  if (options.shard) shared_.budget.emplace(options.shard->most_entries);
  for (unsigned index = 0; index < workers; ++index) {
    workers_.push_back(std::make_unique<Worker>(shared_, index));
  }
}

void Walk::run(std::chrono::milliseconds interval, const Tick& tick) {
  const std::vector<std::string>& paths = shared_.options.roots;
  std::vector<Work*> roots;
  roots.reserve(paths.size());
  const bool resumes = !pending_.empty() && !shared_.options.shard->from.empty();
  for (std::size_t root = 0; root < paths.size(); ++root) {
    const Pending* const pending = resumes ? &pending_[root] : nullptr;
    if (resumes && pending->empty()) continue;
    roots.push_back(
        new Directory(*this, root, paths[root], shared_.options.selection.only.empty(), pending));
  }
  // If tick throws, the workers are stopped first, and then the exception is thrown again.
  engine_.run(roots, interval, [&] {
    try {
      if (!shared_.failed.load(base::memory_order_relaxed)) tick();
    } catch (...) {
      fail(std::current_exception());
    }
  });
  if (failure_) std::rethrow_exception(failure_);
}

void Walk::end_budget() {
  if (shared_.budget) shared_.budget->end();
}

Progress Walk::progress(std::chrono::nanoseconds now) {
  Progress progress;
  progress.entries = entries();
  bool slow = false;
  for (const auto& worker : workers_) {
    progress.disk_bytes = base::saturating_add(progress.disk_bytes, worker->disk_bytes());
    const Worker::Place place = worker->place(now);
    if (place.path.empty()) continue;
    if (place.stuck) progress.stuck.push_back(place.path);
    // Prefers a directory that was also the current one at the last call.
    if (progress.directory.empty() || (place.still && !slow)) {
      progress.directory = place.path;
      slow = place.still;
    }
  }
  return progress;
}

std::uint64_t Walk::entries() const {
  std::uint64_t entries = 0;
  for (const auto& worker : workers_) entries += worker->entries();
  return entries;
}

void Walk::snapshot(Scan& scan) {
  for (const auto& worker : workers_) worker->copy_to(scan);
  order_errors(scan.errors);
  scan.tree = shared_.builder.snapshot(shared_.root_nodes);
}

void Walk::finish(Scan& scan) {
  for (const auto& worker : workers_) worker->move_to(scan);
  workers_.clear();
  scan.volumes = volumes_.facts();
  order_errors(scan.errors);
  std::sort(scan.rest.begin(), scan.rest.end());
  std::vector<NodeId> roots;
  for (const auto& root : shared_.root_nodes)
    roots.push_back(root.load(base::memory_order_relaxed));
  scan.tree = shared_.builder.finish(std::move(roots));
}

void Walk::fail(std::exception_ptr failure) noexcept {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = std::move(failure);
  shared_.failed.store(true, base::memory_order_relaxed);
}

// Runs body with the directory as the worker's current one. An exception ends the walk and is
// thrown by run().
template <class Body>
void Walk::guarded(Directory& directory, Worker& worker, Body body) noexcept {
  const base::MemoryTag tag("walk");
  worker.set_current(&directory);
  try {
    body();
  } catch (...) {
    fail(std::current_exception());
  }
  worker.set_current(nullptr);
}

// Whether no shard has opened the directory before. Roots are opened by all.
bool Walk::is_new(const Directory& directory) {
  return directory.parent() != nullptr && directory.pending() == nullptr;
}

void Walk::visit(Directory& directory, unsigned worker) noexcept {
  Worker& own = *workers_[worker];
  guarded(directory, own, [&] {
    if (own.stopping()) {
      directory.leave_parent();
      own.mark_incomplete(directory.parent_id());
    } else if (is_new(directory) && !own.take()) {
      directory.leave_parent();
      own.leave(directory.path() + '/');
    } else if (add_from_volume(directory, own) ||
               open_and_add(directory, borders_, volumes_, own)) {
      lister_.list(directory, own);
    }
  });
  directory.release();
}

void Walk::visit_names(Directory& directory, const os::NameBlock& names, unsigned worker) noexcept {
  Worker& own = *workers_[worker];
  guarded(directory, own, [&] { lister_.look_at(directory, names, own); });
}

void Walk::visit_subdirectories(Subdirectories& waiting, unsigned worker) noexcept {
  const base::MemoryTag tag("walk");
  std::unique_ptr<Subdirectories> rest(&waiting);
  Directory* next = nullptr;
  try {
    next = rest->take();
    if (rest->size() > 1 && engine_.has_idle_worker()) spawn(rest->split(), worker);
    if (rest->size() > 0) spawn(std::move(rest), worker);
  } catch (...) {
    fail(std::current_exception());
  }
  rest.reset();
  if (next != nullptr) visit(*next, worker);
}

void Walk::spawn(std::unique_ptr<Subdirectories> waiting, unsigned worker) {
  engine_.spawn(*waiting, worker);
  static_cast<void>(waiting.release());  // it deletes itself
}

}  // namespace fathom::fs

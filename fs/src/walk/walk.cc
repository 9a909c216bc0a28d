// Walk: a work item per directory opens it, lists it, and spawns work items for its subdirectories.

#include "walk/walk.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <thread>
#include <tuple>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/memory_tag.h"
#include "fathom/base/mutex.h"
#include "fathom/base/saturating.h"

namespace fathom::fs {

namespace {

// For a counter that only one thread writes, so that no read-modify-write is needed.
void increment(base::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.store(counter.load(base::memory_order_relaxed) + by, base::memory_order_relaxed);
}

// Sorts as Scan::errors promises, and removes duplicates, which overlapping roots cause.
void tidy(std::vector<ScanError>& errors) {
  std::sort(errors.begin(), errors.end(), [](const ScanError& a, const ScanError& b) {
    return std::forward_as_tuple(a.path, a.code, std::string_view(a.operation)) <
           std::forward_as_tuple(b.path, b.code, std::string_view(b.operation));
  });
  errors.erase(std::unique(errors.begin(), errors.end(),
                           [](const ScanError& a, const ScanError& b) {
                             return a.code == b.code && a.path == b.path;
                           }),
               errors.end());
}

std::string path_in(const Directory& directory, const char* name) {
  std::string path = directory.path();
  if (!path.ends_with('/')) path += '/';  // a root may end with one
  return path += name;
}

}  // namespace

// The state of one thread. Another thread reads the counters, the current directory and the errors,
// about ten times a second.
struct alignas(base::kCacheLine) Walk::Worker {
  Worker(TreeBuilder& builder, unsigned at) : rows(builder), index(at) {}

  void set_current(Directory* directory) {
    const std::lock_guard lock(mutex);
    current = directory;
    ++visits;
  }

  TreeBuilder::Appender rows;
  const unsigned index;
  os::NameBlock names;      // of the directory that is being listed
  std::string link_target;  // the last one that was read
  std::string path;         // of the current directory, relative to its root; only if needed
  std::vector<ExcludedEntry> excluded;
  base::atomic<std::uint64_t> filtered_out{0};
  base::atomic<std::uint64_t> changed{0};
  base::atomic<std::uint64_t> entries{0};
  base::atomic<std::uint64_t> disk_bytes{0};
  base::atomic<bool> waits_for_turn{false};  // for the rate limit, not for the kernel
  base::Mutex mutex = base::named_mutex("walk: where a worker is");
  Directory* current = nullptr;   // guarded by mutex; exists while it is stored here
  std::uint64_t visits = 0;       // guarded by mutex; how often current was set
  std::vector<ScanError> errors;  // guarded by mutex

  // What progress() saw here last, and since when it has not changed; used only by progress().
  struct Seen {
    std::uint64_t visits = 0;
    std::uint64_t entries = 0;
    std::chrono::nanoseconds since{0};
  };
  Seen seen;
};

// Names of one large directory, for another worker to process.
class Walk::Batch final : public Work {
 public:
  Batch(Directory& directory, os::NameBlock names)
      : directory_(directory), names_(std::move(names)) {
    directory.share();
    directory.use_descriptor();
  }
  ~Batch() override {
    directory_.done_with_descriptor();
    directory_.release();
  }

  void run(unsigned worker) noexcept override {
    directory_.walk().visit_names(directory_, names_, worker);
    delete this;
  }

 private:
  Directory& directory_;
  const os::NameBlock names_;
};

Walk::Walk(const ScanOptions& options, WorkEngine& engine, unsigned workers, std::size_t held)
    : options_(options), engine_(engine), held_(held), root_nodes_(options.roots.size()) {
  for (auto& root : root_nodes_) root.store(kNoNode, base::memory_order_relaxed);
  const std::uint64_t rate = options.max_operations_per_second;
  if (rate > 0) pacer_.emplace(rate, base::monotonic_now().time_since_epoch());
  for (unsigned index = 0; index < workers; ++index) {
    workers_.push_back(std::make_unique<Worker>(builder_, index));
  }
}

Walk::~Walk() = default;

void Walk::run(std::chrono::milliseconds interval, const Tick& tick) {
  std::vector<Work*> roots;
  roots.reserve(options_.roots.size());
  for (std::size_t root = 0; root < options_.roots.size(); ++root) {
    roots.push_back(new Directory(*this, root, options_.roots[root]));
  }
  // If tick throws, the workers are stopped first, and then the exception is thrown again.
  engine_.run(roots, interval, [&] {
    try {
      if (!failed_.load(base::memory_order_relaxed)) tick();
    } catch (...) {
      fail(std::current_exception());
    }
  });
  if (failure_) std::rethrow_exception(failure_);
}

Progress Walk::progress(std::chrono::nanoseconds now) {
  Progress progress;
  bool slow = false;
  for (const auto& worker : workers_) {
    const std::uint64_t entries = worker->entries.load(base::memory_order_relaxed);
    progress.entries += entries;
    progress.disk_bytes = base::saturating_add(progress.disk_bytes,
                                               worker->disk_bytes.load(base::memory_order_relaxed));
    const std::lock_guard lock(worker->mutex);
    Worker::Seen& seen = worker->seen;
    const bool still = worker->current != nullptr && worker->visits == seen.visits;
    if (!still || entries != seen.entries ||
        worker->waits_for_turn.load(base::memory_order_relaxed)) {
      seen = {.visits = worker->visits, .entries = entries, .since = now};
    } else if (now - seen.since >= options_.stuck_after) {
      progress.stuck.push_back(worker->current->path());
    }
    // Prefers a directory that was entered since the last call.
    if (worker->current != nullptr && (progress.directory.empty() || (still && !slow))) {
      progress.directory = worker->current->path();
      slow = still;
    }
  }
  return progress;
}

std::uint64_t Walk::entries() const {
  std::uint64_t entries = 0;
  for (const auto& worker : workers_) entries += worker->entries.load(base::memory_order_relaxed);
  return entries;
}

void Walk::snapshot(Scan& scan) {
  for (const auto& worker : workers_) {
    scan.filtered_out += worker->filtered_out.load(base::memory_order_relaxed);
    scan.changed += worker->changed.load(base::memory_order_relaxed);
    const std::lock_guard lock(worker->mutex);
    scan.errors.insert(scan.errors.end(), worker->errors.begin(), worker->errors.end());
  }
  tidy(scan.errors);
  scan.tree = builder_.snapshot(root_nodes_);
}

void Walk::finish(Scan& scan) {
  for (const auto& worker : workers_) {
    scan.filtered_out += worker->filtered_out.load(base::memory_order_relaxed);
    scan.changed += worker->changed.load(base::memory_order_relaxed);
    std::move(worker->excluded.begin(), worker->excluded.end(), std::back_inserter(scan.excluded));
    std::move(worker->errors.begin(), worker->errors.end(), std::back_inserter(scan.errors));
  }
  workers_.clear();
  tidy(scan.errors);
  std::vector<NodeId> roots;
  for (const auto& root : root_nodes_) roots.push_back(root.load(base::memory_order_relaxed));
  scan.tree = builder_.finish(std::move(roots));
}

bool Walk::stopping() const {
  return failed_.load(base::memory_order_relaxed) || options_.cancel.cancelled();
}

void Walk::wait_for_turn(unsigned worker) {
  using std::chrono::nanoseconds;
  constexpr nanoseconds kLook = std::chrono::milliseconds(10);  // between checks for a stop
  base::atomic<bool>& waits = workers_[worker]->waits_for_turn;
  const auto now = [] { return nanoseconds(base::monotonic_now().time_since_epoch()); };
  waits.store(true, base::memory_order_relaxed);
  const nanoseconds turn = pacer_->take(now());
  for (nanoseconds left = turn - now(); left > nanoseconds(0) && !stopping(); left = turn - now()) {
    std::this_thread::sleep_for(std::min(left, kLook));
  }
  waits.store(false, base::memory_order_relaxed);
}

// Runs body with the directory as the worker's current one. An exception ends the walk and is
// thrown by run().
template <class Body>
void Walk::guarded(Worker& worker, Directory& directory, Body body) noexcept {
  worker.set_current(&directory);
  try {
    body();
  } catch (...) {
    fail(std::current_exception());
  }
  worker.set_current(nullptr);
}

void Walk::fail(std::exception_ptr failure) noexcept {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = std::move(failure);
  failed_.store(true, base::memory_order_relaxed);
}

void Walk::visit(Directory& directory, unsigned worker) noexcept {
  const base::MemoryTag tag("walk");
  Worker& own = *workers_[worker];
  if (stopping()) {
    directory.leave_parent();
    guarded(own, directory, [&] { cut_off(directory.parent(), own); });
  } else {
    guarded(own, directory, [&] { open(directory, own); });
  }
  directory.release();
}

void Walk::visit_names(Directory& directory, const os::NameBlock& names, unsigned worker) noexcept {
  const base::MemoryTag tag("walk");
  Worker& own = *workers_[worker];
  guarded(own, directory, [&] { look_at(directory, names, own); });
}

// The scan was stopped before everything in the directory was read.
void Walk::cut_off(const Directory* directory, Worker& worker) {
  if (directory != nullptr) worker.rows.mark_incomplete(directory->as().id);
}

void Walk::open(Directory& directory, Worker& worker) {
  bool entered = false;
  {
    const ParentDescriptor parent(directory, worker.index);
    const int at = parent.get();
    const bool has_parent = at >= 0 || at == os::kCurrentDirectory;
    if (has_parent && is_elsewhere(directory, at, worker)) {
      return exclude(*directory.parent(), directory.name(), Excluded::other_filesystem, worker);
    }
    const int descriptor =
        has_parent ? open_patiently(at, directory.name().c_str(), *this, worker.index) : at;
    if (descriptor >= 0) {
      entered = enter(directory, descriptor, worker);
    } else {
      cannot_open(directory, has_parent ? at : -1, -descriptor, worker);
    }
  }
  if (entered) list(directory, worker);
}

// Adds an opened directory to the tree. Closes the descriptor and returns false if the directory is
// not to be entered.
bool Walk::enter(Directory& directory, int descriptor, Worker& worker) {
  Entry entry;
  std::uint64_t mount = 0;
  const Directory* const parent = directory.parent();
  pace(worker.index);
  const int error = -os::stat_directory(descriptor, entry, &mount);
  try {
    std::optional<Excluded> why;
    if (error == 0) why = reason_to_exclude(directory, descriptor, entry, mount, worker.index);
    if (error == 0 && !why) {
      const DirId id = add_directory(directory, entry, worker);
      directory.opened(descriptor, held_.take(),
                       {.id = id,
                        .device = entry.device,
                        .inode = entry.inode,
                        .mount = mount,
                        .root_device = parent == nullptr ? entry.device : parent->as().root_device,
                        .root_mount = parent == nullptr ? mount : parent->as().root_mount});
      return true;
    }
    os::close_directory(std::exchange(descriptor, -1));
    if (error != 0) report("stat", directory.path(), error, parent, worker);
    if (why) exclude(*parent, directory.name(), *why, worker);
    return false;
  } catch (...) {
    if (descriptor >= 0) os::close_directory(descriptor);
    throw;
  }
}

// Finds out what a directory that could not be opened is now. `at` is -1 without a descriptor of
// its parent.
void Walk::cannot_open(Directory& directory, int at, int error, Worker& worker) {
  Directory* const parent = directory.parent();
  Entry entry;
  std::uint64_t mount = 0;
  int stat_error = error;
  if (at != -1) {
    pace(worker.index);
    stat_error = -os::stat_at(at, directory.name().c_str(), entry, &mount);
  }
  if (stat_error != 0) {
    // Without its parent's descriptor, only its name is known.
    if (stat_error == ENOENT && at != -1 && parent != nullptr) {
      increment(worker.changed);
    } else {
      report("open", directory.path(), stat_error, parent, worker);
    }
    return;
  }
  if (is_elsewhere(parent, entry, mount)) {
    return exclude(*parent, directory.name(), Excluded::other_filesystem, worker);
  }
  if (entry.kind() != Kind::directory) {
    // A root, or a directory that was replaced by something else since it was listed.
    const DirId in = parent == nullptr ? kNoDir : parent->as().id;
    const NodeId node = add(at, in, directory.name().c_str(), entry, worker);
    if (parent == nullptr) place_root(directory, node);
    return;
  }
  worker.rows.mark_incomplete(add_directory(directory, entry, worker));
  report("open", directory.path(), error, parent, worker);
}

void Walk::list(Directory& directory, Worker& worker) {
  struct Done {
    Directory& directory;
    ~Done() { directory.done_with_descriptor(); }
  } const done{directory};
  for (;;) {
    if (stopping()) return cut_off(&directory, worker);
    const int error = read_names(directory, worker);
    if (error == ENOENT) {  // deleted while open: it is empty
      increment(worker.changed);
      return;
    }
    if (error != 0) {
      worker.rows.mark_incomplete(directory.as().id);
      report("list", directory.path(), error, nullptr, worker);
      return;
    }
    if (worker.names.empty()) return;
    if (!share(directory, worker)) look_at(directory, worker.names, worker);
  }
}

// Reads the next block of names; returns an errno, or 0.
int Walk::read_names(const Directory& directory, Worker& worker) {
  pace(worker.index);
  const rt::ObservedPhase phase(options_.observer, "list");
  return -os::read_names(directory.descriptor(), worker.names);
}

// Gives a block of names to an idle worker, so that one huge directory uses all workers.
bool Walk::share(Directory& directory, Worker& worker) {
  if (!worker.names.is_large() || !directory.held() || !engine_.has_idle_worker()) return false;
  auto batch = std::make_unique<Batch>(directory, std::exchange(worker.names, os::NameBlock()));
  engine_.spawn(*batch, worker.index);
  static_cast<void>(batch.release());  // it deletes itself
  return true;
}

void Walk::look_at(Directory& directory, const os::NameBlock& names, Worker& worker) {
  const rt::ObservedPhase phase(options_.observer, "stat");
  if (options_.selection.checks_paths()) worker.path = directory.path_in_root();
  names.for_each([&](const os::RawName& name) {
    if (stopping()) {
      cut_off(&directory, worker);
      return false;
    }
    look_at(directory, name, worker);
    return true;
  });
}

void Walk::look_at(Directory& directory, const os::RawName& name, Worker& worker) {
  const bool known = name.type != DT_UNKNOWN;
  if (known && excludes(directory, name.name(), name.type == DT_DIR, worker)) return;
  if (name.type == DT_DIR) return spawn(directory, name.name(), worker);
  Entry entry;
  std::uint64_t mount = 0;
  pace(worker.index);
  const int error = -os::stat_at(directory.descriptor(), name.name(), entry, &mount);
  if (error == ENOENT) {
    increment(worker.changed);
  } else if (error != 0) {
    report("stat", path_in(directory, name.name()), error, &directory, worker);
  } else if (!known && excludes(directory, name.name(), entry.kind() == Kind::directory, worker)) {
    return;
  } else if (entry.kind() == Kind::directory) {
    spawn(directory, name.name(), worker);
  } else if (is_elsewhere(&directory, entry, mount)) {
    exclude(directory, name.name(), Excluded::other_filesystem, worker);
  } else {
    add(directory.descriptor(), directory.as().id, name.name(), entry, worker);
  }
}

// Whether the selection excludes a name; if so, records it.
bool Walk::excludes(const Directory& in, std::string_view name, bool directory, Worker& worker) {
  const Selection& selection = options_.selection;
  if (!selection.checks_names()) return false;
  const std::size_t length = worker.path.size();
  if (length > 0) worker.path += '/';
  worker.path += name;
  const bool found = selection.excludes(worker.path, directory);
  worker.path.resize(length);
  if (found) exclude(in, name, Excluded::pattern, worker);
  return found;
}

void Walk::exclude(const Directory& in, std::string_view name, Excluded why, Worker& worker) {
  worker.excluded.push_back({.in = in.as().id, .name = std::string(name), .why = why});
  worker.rows.mark(in.as().id, kHasOmittedChildren);
}

void Walk::spawn(Directory& in, const char* name, Worker& worker) {
  auto* const child = new Directory(in, name);
  try {
    engine_.spawn(*child, worker.index);
  } catch (...) {
    child->leave_parent();
    child->release();
    throw;
  }
}

DirId Walk::add_directory(Directory& directory, const Entry& entry, Worker& worker) {
  const Directory* parent = directory.parent();
  const bool matches = options_.selection.matches(directory.name(), entry);
  const auto added =
      worker.rows.add_directory(parent == nullptr ? kNoDir : parent->as().id, directory.depth(),
                                directory.name(), entry, matches ? 0 : kFilteredOut);
  if (parent == nullptr) place_root(directory, added.node);
  if (!matches) increment(worker.filtered_out);
  count(entry, worker);
  return added.id;
}

// Adds a non-directory entry to the tree if it matches the selection. `at` is its directory.
NodeId Walk::add(int at, DirId in, const char* name, const Entry& entry, Worker& worker) {
  count(entry, worker);
  if (!options_.selection.matches(name, entry)) {
    increment(worker.filtered_out);
    if (in != kNoDir) worker.rows.mark(in, kHasOmittedChildren);
    return kNoNode;
  }
  if (options_.read_links && entry.kind() == Kind::symlink) {
    if (const auto target = read_link(at, name, worker)) {
      return worker.rows.add_link(in, name, entry, *target);
    }
  }
  return worker.rows.add(in, name, entry);
}

// Nothing if the link cannot be read. This affects no figure, so it is not an error of the scan.
std::optional<LinkTarget> Walk::read_link(int at, const char* name, Worker& worker) {
  pace(worker.index);
  if (os::read_link(at, name, worker.link_target) != 0) return std::nullopt;
  pace(worker.index);
  const int error = -os::follow_at(at, name);
  LinkEnd end = LinkEnd::unknown;
  if (error == 0) end = LinkEnd::exists;
  if (error == ENOENT || error == ENOTDIR || error == ELOOP) end = LinkEnd::missing;
  return LinkTarget{.path = worker.link_target, .end = end};
}

void Walk::count(const Entry& entry, Worker& worker) {
  increment(worker.entries);
  increment(worker.disk_bytes, entry.disk_bytes());
}

// Whether -x excludes the directory. Called before it is opened, because opening could trigger a
// mount, or hang.
bool Walk::is_elsewhere(const Directory& directory, int at, Worker& worker) {
  if (!looks_first(directory)) return false;
  pace(worker.index);
  Entry entry;
  std::uint64_t mount = 0;
  if (os::stat_at(at, directory.name().c_str(), entry, &mount) != 0) return false;
  return automounts_.wait_at(entry.device) || is_elsewhere(directory.parent(), entry, mount);
}

// Whether to call stat before opening a directory, because opening may trigger a mount.
bool Walk::looks_first(const Directory& directory) const {
  const Directory* const parent = directory.parent();
  if (parent == nullptr) return false;
  return options_.selection.one_file_system ||
         automounts_.may_wait_at(directory.name(), parent->as().device);
}

// Another filesystem has both another mount and another device. A file of an overlay's lower layer
// and a btrfs subvolume have their own devices, on the same mount; a second mount of the root's
// filesystem is another mount of the same device.
bool Walk::is_elsewhere(const Directory* in, const Entry& entry, std::uint64_t mount) const {
  return options_.selection.one_file_system && in != nullptr &&
         entry.device != in->as().root_device && mount != in->as().root_mount;
}

// The reason not to enter a directory that is open; nothing for a root.
std::optional<Excluded> Walk::reason_to_exclude(const Directory& directory, int descriptor,
                                                const Entry& entry, std::uint64_t mount,
                                                unsigned worker) {
  const Selection& selection = options_.selection;
  const Directory* const parent = directory.parent();
  if (parent == nullptr) return std::nullopt;
  if (is_elsewhere(parent, entry, mount)) return Excluded::other_filesystem;
  if (!selection.kernel_filesystems && mount != parent->as().mount &&
      is_kernel_filesystem(descriptor, worker)) {
    return Excluded::kernel_filesystem;
  }
  if (!selection.caches && is_tagged_cache(descriptor, worker)) return Excluded::cache;
  return std::nullopt;
}

bool Walk::is_kernel_filesystem(int descriptor, unsigned worker) {
  pace(worker);
  return os::is_kernel_filesystem(descriptor);
}

bool Walk::is_tagged_cache(int descriptor, unsigned worker) {
  pace(worker);
  const int tag = os::open_cache_tag(descriptor);
  if (tag < 0) return false;
  pace(worker);
  return os::is_cache_tag(tag);
}

void Walk::report(const char* operation, std::string path, int error, const Directory* in,
                  Worker& worker) {
  if (in != nullptr) worker.rows.mark_incomplete(in->as().id);
  const std::lock_guard lock(worker.mutex);
  worker.errors.push_back({std::move(path), operation, error});
}

// Relaxed: a thread that sees an entry below the root, which is added later, sees the root as well.
void Walk::place_root(const Directory& root, NodeId node) {
  root_nodes_[root.root()].store(node, base::memory_order_relaxed);
}

}  // namespace fathom::fs

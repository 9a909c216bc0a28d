// Worker: rows, counters and errors of one thread, and its place.

#include "walk/worker.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <thread>
#include <utility>

#include "fathom/base/clock.h"

namespace fathom::fs {

namespace {

// For a counter that only one thread writes, so that no read-modify-write is needed.
void increment(base::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.store(counter.load(base::memory_order_relaxed) + by, base::memory_order_relaxed);
}

}  // namespace

void Worker::wait_for_turn() {
  using std::chrono::nanoseconds;
  constexpr nanoseconds kLook = std::chrono::milliseconds(10);  // between checks for a stop
  const auto now = [] { return nanoseconds(base::monotonic_now().time_since_epoch()); };
  waits_for_turn_.store(true, base::memory_order_relaxed);
  const nanoseconds turn = walk_.pacer->take(now());
  for (nanoseconds left = turn - now(); left > nanoseconds(0) && !stopping(); left = turn - now()) {
    std::this_thread::sleep_for(std::min(left, kLook));
  }
  waits_for_turn_.store(false, base::memory_order_relaxed);
}

void Worker::set_current(const Directory* directory) {
  const std::lock_guard lock(mutex_);
  current_ = directory;
  ++visits_;
}

DirId Worker::add_directory(const Directory& directory, const Entry& entry) {
  const bool matches =
      directory.picked() && walk_.options.selection.matches(directory.name(), entry);
  const auto added = rows_.add_directory(directory.parent_id(), directory.depth(), directory.name(),
                                         entry, matches ? 0 : kFilteredOut);
  place_root(directory, added.node);
  if (!matches) increment(filtered_out_);
  count(entry);
  return added.id;
}

NodeId Worker::add(int at, DirId in, const char* name, const Entry& entry, bool picked) {
  count(entry);
  if (!picked || !walk_.options.selection.matches(name, entry)) {
    increment(filtered_out_);
    if (in != kNoDir) rows_.mark(in, kHasOmittedChildren);
    return kNoNode;
  }
  LinkTarget target;
  if (walk_.options.read_links && entry.kind() == Kind::symlink && read_link(at, name, target)) {
    return rows_.add_link(in, name, entry, target);
  }
  return rows_.add(in, name, entry);
}

void Worker::count(const Entry& entry) {
  increment(entries_);
  increment(disk_bytes_, entry.disk_bytes());
}

// A link that cannot be read affects no figure, so it is not an error of the scan.
bool Worker::read_link(int at, const char* name, LinkTarget& target) {
  pace();
  if (os::read_link(at, name, link_target_) != 0) return false;
  pace();
  const int error = -os::follow_at(at, name);
  LinkEnd end = LinkEnd::unknown;
  if (error == 0) end = LinkEnd::exists;
  if (error == ENOENT || error == ENOTDIR || error == ELOOP) end = LinkEnd::missing;
  target = {.path = link_target_, .end = end};
  return true;
}

// Relaxed: a thread that sees an entry below the root, which is added later, sees the root as well.
void Worker::place_root(const Directory& directory, NodeId node) {
  if (directory.parent() != nullptr) return;
  walk_.root_nodes[directory.root()].store(node, base::memory_order_relaxed);
}

void Worker::exclude(DirId in, std::string_view name, Excluded why) {
  excluded_.push_back({.in = in, .name = std::string(name), .why = why});
  rows_.mark(in, kHasOmittedChildren);
}

void Worker::count_changed() {
  increment(changed_);
}

void Worker::report(const char* operation, std::string path, int error, DirId in) {
  mark_incomplete(in);
  const std::lock_guard lock(mutex_);
  errors_.push_back({std::move(path), operation, error});
}

void Worker::copy_to(Scan& scan) {
  scan.filtered_out += filtered_out_.load(base::memory_order_relaxed);
  scan.changed += changed_.load(base::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  scan.errors.insert(scan.errors.end(), errors_.begin(), errors_.end());
}

void Worker::move_to(Scan& scan) {
  scan.filtered_out += filtered_out_.load(base::memory_order_relaxed);
  scan.changed += changed_.load(base::memory_order_relaxed);
  std::move(excluded_.begin(), excluded_.end(), std::back_inserter(scan.excluded));
  std::move(errors_.begin(), errors_.end(), std::back_inserter(scan.errors));
  std::move(rest_.begin(), rest_.end(), std::back_inserter(scan.rest));
  scan.above += above_;
  scan.asked += asked_;
}

Worker::Place Worker::place(std::chrono::nanoseconds now) {
  const std::uint64_t found = entries() + walk_.reads.load(base::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  Place place;
  if (current_ != nullptr) place = {.path = current_->path(), .still = visits_ == seen_visits_};
  if (!place.still || found != seen_entries_ || waits_for_turn_.load(base::memory_order_relaxed)) {
    seen_visits_ = visits_;
    seen_entries_ = found;
    seen_since_ = now;
  } else {
    place.stuck = now - seen_since_ >= walk_.options.stuck_after;
  }
  return place;
}

}  // namespace fathom::fs

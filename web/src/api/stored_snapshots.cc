// StoredSnapshots: reading the store without holding the lock, and the open snapshots.

#include "api/stored_snapshots.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/rt/executor.h"

namespace fathom::web {

namespace {

store::SnapshotOptions options_of(const Snapshot& scan, const ScanFacts& facts) {
  store::SnapshotOptions options;
  options.meta.roots = scan.scan().roots;
  options.meta.selection = facts.selection;
  options.meta.imported = facts.saved;
  options.meta.started_ns = options.meta.ended_ns = base::to_nanoseconds(scan.taken());
  if (!facts.saved) options.filesystem_ids = fs::filesystem_ids(scan.tree());
  return options;
}

}  // namespace

StoredSnapshots::Contents StoredSnapshots::contents() {
  Contents earlier;
  {
    const std::lock_guard lock(mutex_);
    earlier = contents_;
  }
  auto now = std::make_shared<const store::StoreContents>();
  try {
    if (!path_.empty()) {
      now = std::make_shared<const store::StoreContents>(store::Store::open(path_).list(*earlier));
    }
  } catch (const base::SystemError& error) {
    if (error.code() != ENOENT) throw;
  }
  const std::lock_guard lock(mutex_);
  return contents_ = std::move(now);
}

// Two threads may open the same snapshot at the same time; the second one is dropped after its use.
StoredSnapshots::Opened StoredSnapshots::open(const std::string& name) {
  if (Opened known = opened(name)) return known;
  auto snapshot = std::make_shared<const store::Snapshot>(open_once(name));
  const std::lock_guard lock(mutex_);
  open_.push_front({.name = name, .snapshot = snapshot});
  if (open_.size() > kMostOpen) open_.pop_back();
  return snapshot;
}

store::Snapshot StoredSnapshots::open_once(const std::string& name) {
  try {
    return store::Snapshot::open(path_ + '/' + name);
  } catch (const base::Error&) {
    if (has(name)) throw;
    throw store::NotFound("the snapshot " + name + " was removed");
  }
}

StoredSnapshots::Opened StoredSnapshots::scanned(const Snapshot& scan,
                                                 const rt::CancelToken& cancel) const {
  return scan.as_stored([&] {
    rt::Executor executor({.threads = 2, .name = "fathom-compare"});
    return store::Snapshot::of(scan.scan(), options_of(scan, facts_), executor, cancel);
  });
}

std::string StoredSnapshots::text(const std::string& key,
                                  const std::function<std::string()>& make) {
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(texts_.begin(), texts_.end(), [&](const Text& one) { return one.key == key; });
    if (found != texts_.end()) {
      texts_.splice(texts_.begin(), texts_, found);
      return found->text;
    }
  }
  std::string made = make();
  if (made.size() > kLargestText) return made;
  const std::lock_guard lock(mutex_);
  texts_.push_front({.key = key, .text = made});
  if (texts_.size() > kMostTexts) texts_.pop_back();
  return made;
}

// Null if it is not open.
StoredSnapshots::Opened StoredSnapshots::opened(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.name == name; });
  if (found == open_.end()) return nullptr;
  open_.splice(open_.begin(), open_, found);
  return found->snapshot;
}

bool StoredSnapshots::has(const std::string& name) {
  const Contents now = contents();
  return std::any_of(now->snapshots.begin(), now->snapshots.end(),
                     [&](const store::StoredSnapshot& one) { return one.name == name; });
}

}  // namespace fathom::web

// remove_contents: a walk that removes files at once, and directories when they are empty.

#include "items/removal.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/task_group.h"
#include "items/open_files.h"
#include "os/unshared.h"

namespace fathom::act {

namespace {

constexpr std::size_t kMostNamed = 3;

// The inodes of which names were removed. Several threads may remove names of one inode at the same
// time, so that none of them sees that its name is the last one.
class RemovedNames {
 public:
  // Called after a name was removed, with the state from before. Returns whether it was the last.
  bool was_last(const FileState& state) {
    if (S_ISDIR(state.mode)) return true;
    const std::lock_guard lock(mutex_);
    const auto key = std::pair(state.identity.device, state.identity.inode);
    if (state.links == 1 && inodes_.find(key) == inodes_.end()) return true;
    const auto place = inodes_.try_emplace(key, Inode{state.links, 0}).first;
    return ++place->second.removed == place->second.names;
  }

 private:
  struct Inode {
    std::uint64_t names = 0;  // before the first one was removed
    std::uint64_t removed = 0;
  };

  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Inode> inodes_;  // with several names
};

// What all threads of a removal share.
struct Removal {
  const Removable& removable;
  const MutatingOps& ops;
  const Processes& processes;
  rt::Executor* executor;     // null: one thread
  const bool shares_extents;  // files may share extents with others
  RemovedNames names = {};
  base::atomic<std::size_t> in_flight{};  // subdirectories that other threads have been given
};

void add(Removed& sum, Removed&& part, const std::string& prefix) {
  sum.entries += part.entries;
  sum.freed = base::saturating_add(sum.freed, part.freed);
  for (OpenFile& file : part.open) {
    file.path = prefix + '/' + file.path;
    sum.open.push_back(std::move(file));
  }
  sum.left += part.left;
  for (std::string& path : part.some) {
    if (sum.some.size() < kMostNamed) sum.some.push_back(prefix + '/' + path);
  }
  if (sum.code == 0) sum.code = part.code;
}

class Remover : public TreeWalk::Visitor {
 public:
  Remover(int folder, Removal& shared) : walk_(folder, *this), shared_(shared) {
    if (shared.executor != nullptr) group_.emplace(*shared.executor);
  }

  Removed run() {
    walk_.run();
    collect();
    return std::move(removed_);
  }

  bool entry(const TreeWalk::Place& place, const FileState& state) override {
    if (!shared_.removable.allows(place, state)) {
      keep(place.name);
      return false;
    }
    if (S_ISDIR(state.mode)) return !hand_over(place, state);
    const std::uint64_t bytes = shared_.shares_extents
                                    ? unshared_bytes_at(place.folder, place.name, state)
                                    : state.blocks * fs::kBlockBytes;
    remove(place, state, bytes, shared_.ops.unlink_below(place.folder, place.name));
    return false;
  }

  void after_folder(const TreeWalk::Place& place, const FileState& state) override {
    int result = shared_.ops.remove_folder_below(place.folder, place.name);
    if (is_not_empty(result) && !parts_.empty()) {
      // Another thread may still be removing something in it.
      collect();
      result = shared_.ops.remove_folder_below(place.folder, place.name);
    }
    const std::uint64_t bytes = state.blocks * fs::kBlockBytes;
    if (!is_not_empty(result)) return remove(place, state, bytes, result);
    // What stays in it has been counted, unless it was added after the directory was listed.
    if (removed_.left == 0) keep(place.name);
  }

  void failed(const char* name, int code) override {
    if (code == -ENOENT) return;  // another program has removed it
    keep(name);
    if (code != -ESTALE && removed_.code == 0) removed_.code = code;
  }

 private:
  // A subdirectory that another thread removes.
  struct Part {
    base::Fd above;
    base::Fd folder;
    std::string name;
    FileState state;
    std::string path;  // for messages
    Removed removed;
  };

  static bool is_not_empty(int result) { return result == -ENOTEMPTY || result == -EEXIST; }

  // Lets another thread remove a subdirectory, if one has nothing to do.
  bool hand_over(const TreeWalk::Place& place, const FileState& state) {
    if (!group_ ||
        shared_.in_flight.load(base::memory_order_relaxed) >= shared_.executor->threads()) {
      return false;
    }
    auto part = std::make_unique<Part>();
    FileState now;
    if (duplicate(place.folder, part->above) < 0 ||
        open_subfolder(place.folder, place.name, part->folder) < 0 ||
        state_of(part->folder.get(), now) < 0 || !same_file(now.identity, state.identity)) {
      return false;  // the walk will find out why
    }
    part->name = place.name;
    part->state = state;
    part->path = walk_.path_of(place.name);
    shared_.in_flight.fetch_add(1, base::memory_order_relaxed);
    group_->run([this, work = part.get()] {
      remove_part(*work);
      shared_.in_flight.fetch_sub(1, base::memory_order_relaxed);
    });
    parts_.push_back(std::move(part));
    return true;
  }

  void remove_part(Part& part) const {
    Remover remover(part.folder.get(), shared_);
    part.removed = remover.run();
    const int above = part.above.get();
    const int result = shared_.ops.remove_folder_below(above, part.name.c_str());
    Removed& removed = part.removed;
    if (result == 0) {
      ++removed.entries;
      removed.freed = base::saturating_add(removed.freed, part.state.blocks * fs::kBlockBytes);
    } else if (!is_not_empty(result) || removed.left == 0) {
      ++removed.left;
      removed.some.emplace_back(".");
      if (!is_not_empty(result) && removed.code == 0) removed.code = result;
    }
  }

  // Waits for the other threads, and adds what they have removed.
  void collect() {
    if (group_) group_->wait();
    for (const std::unique_ptr<Part>& part : parts_) {
      add(removed_, std::move(part->removed), part->path);
    }
    parts_.clear();
  }

  // `bytes`: what becomes free with the last name.
  void remove(const TreeWalk::Place& place, const FileState& state, std::uint64_t bytes,
              int result) {
    if (result == -ENOENT) return;
    if (result < 0) {
      keep(place.name);
      if (removed_.code == 0) removed_.code = result;
      return;
    }
    ++removed_.entries;
    if (!shared_.names.was_last(state)) return;
    const auto path = [&] { return walk_.path_of(place.name); };
    auto file = open_file(shared_.processes, state, bytes, path);
    if (file && !S_ISDIR(state.mode)) {
      removed_.open.push_back(std::move(*file));
    } else {
      removed_.freed = base::saturating_add(removed_.freed, bytes);
    }
  }

  void keep(const char* name) {
    ++removed_.left;
    if (removed_.some.size() < kMostNamed) removed_.some.push_back(walk_.path_of(name));
  }

  TreeWalk walk_;
  Removal& shared_;
  Removed removed_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::optional<rt::TaskGroup> group_;  // destroyed first: it waits for tasks that use the others
};

}  // namespace

bool AsSurveyed::allows(const TreeWalk::Place& place, const FileState& state) const {
  const auto has = [&](Mark mark) {
    return std::binary_search(marks_.begin(), marks_.end(), mark);
  };
  // A file that had several names when it was examined, and now has one, was marked without its
  // change time.
  return has(mark_of(place, state, ctime_)) || has(mark_of(place, state, CtimeRule::ignored));
}

// A file of which another name was removed has changed as well, and so has one that was moved here:
// nothing tells them apart, so both stay. A directory in which the killed run has removed something
// changed both of its times at once; one that was moved here, only ctime.
bool NotChangedSince::allows(const TreeWalk::Place&, const FileState& state) const {
  const fs::FileIdentity& is = state.identity;
  if (std::max(is.mtime_ns, is.ctime_ns) < moment_ns_) return true;
  return S_ISDIR(state.mode) && is.mtime_ns == is.ctime_ns;
}

Removed remove_contents(int folder, const Removable& removable, const MutatingOps& ops,
                        const Processes& processes, rt::Executor* executor) {
  Removal shared{removable, ops, processes, executor, may_share_extents(folder)};
  return Remover(folder, shared).run();
}

}  // namespace fathom::act

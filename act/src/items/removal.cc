// remove_contents: a walk that removes files at once, and directories when they are empty.

#include "items/removal.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "fathom/base/saturating.h"
#include "fathom/fs/tree.h"

namespace fathom::act {

namespace {

constexpr std::size_t kMostNamed = 3;

class Remover : public TreeWalk::Visitor {
 public:
  Remover(int folder, const Removable& removable, const MutatingOps& ops)
      : walk_(folder, *this), removable_(removable), ops_(ops) {}

  Removed run() {
    walk_.run();
    return std::move(removed_);
  }

  bool entry(const TreeWalk::Place& place, const FileState& state) override {
    if (!removable_.allows(place, state)) {
      leave(place.name);
      return false;
    }
    if (S_ISDIR(state.mode)) return true;
    remove(place, state, ops_.unlink_below(place.folder, place.name));
    return false;
  }

  void left(const TreeWalk::Place& place, const FileState& state) override {
    const int result = ops_.remove_folder_below(place.folder, place.name);
    if (result != -ENOTEMPTY && result != -EEXIST) return remove(place, state, result);
    // What stays in it has been counted, unless it was added after the directory was listed.
    if (removed_.left == 0) leave(place.name);
  }

  void failed(const char* name, int code) override {
    if (code == -ENOENT) return;  // another program has removed it
    leave(name);
    if (code != -ESTALE && removed_.code == 0) removed_.code = code;
  }

 private:
  void remove(const TreeWalk::Place& place, const FileState& state, int result) {
    if (result == -ENOENT) return;
    if (result < 0) {
      leave(place.name);
      if (removed_.code == 0) removed_.code = result;
      return;
    }
    ++removed_.entries;
    if (S_ISDIR(state.mode) || state.links == 1) {
      removed_.freed = base::saturating_add(removed_.freed, state.blocks * fs::kBlockBytes);
    }
  }

  void leave(const char* name) {
    ++removed_.left;
    if (removed_.some.size() < kMostNamed) removed_.some.push_back(walk_.path_of(name));
  }

  TreeWalk walk_;
  const Removable& removable_;
  const MutatingOps& ops_;
  Removed removed_;
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

bool NotChangedSince::allows(const TreeWalk::Place&, const FileState& state) const {
  if (S_ISDIR(state.mode)) return true;
  const bool has_ctime = ctime_ == CtimeRule::of_single_names && state.links == 1;
  return state.identity.mtime_ns < moment_ns_ &&
         (!has_ctime || state.identity.ctime_ns < moment_ns_);
}

Removed remove_contents(int folder, const Removable& removable, const MutatingOps& ops) {
  return Remover(folder, removable, ops).run();
}

}  // namespace fathom::act

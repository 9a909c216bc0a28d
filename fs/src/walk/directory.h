// Directory: a directory on its way through the walk.

#pragma once

#include <string>

#include "engine/engine.h"
#include "fathom/base/atomic.h"
#include "fathom/fs/tree.h"
#include "os.h"

namespace fathom::fs {

class Walk;

// How many directories may keep their descriptor open for the sake of those in them. Thread-safe.
class HeldDescriptors {
 public:
  explicit HeldDescriptors(std::size_t limit) : left_(static_cast<std::ptrdiff_t>(limit)) {}

  bool take() {
    if (left_.fetch_sub(1, base::memory_order_relaxed) > 0) return true;
    give_back();
    return false;
  }
  void give_back() { left_.fetch_add(1, base::memory_order_relaxed); }

  // Descriptors have run out: what is held is all that may be held from now on.
  void end() {
    const std::ptrdiff_t left = left_.load(base::memory_order_relaxed);
    if (left > 0) left_.fetch_sub(left, base::memory_order_relaxed);
  }

 private:
  base::atomic<std::ptrdiff_t> left_;
};

// A directory that was named by its parent and waits to be opened, or is open so that its own can
// be.
//
// It lives until the last directory below it is done, because names lead from the root down to
// each. Its descriptor, if it is held, is open until the last directory in it has been opened. See
// docs/decisions/0003-held-directories.md.
class Directory final : public Work {
 public:
  // A root, by its place among the roots: the name is the path as the user gave it.
  Directory(Walk& walk, std::size_t root, std::string path);
  // In another directory, of which it counts as a child from now on.
  Directory(Directory& parent, const char* name);

  void run(unsigned worker) noexcept override;

  // The descriptor stays open, for the calling child or batch, until done_with_descriptor(). Only
  // for children that have counted themselves.
  [[nodiscard]] bool held() const { return held_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Counts one more user of the descriptor, which must not have been closed: for whoever still is
  // one himself.
  void use_descriptor() { users_.fetch_add(1, base::memory_order_relaxed); }
  // The same for those who do not know; false if it is closed.
  bool try_use_descriptor();
  void done_with_descriptor();

  // Ends this child's use of its parent's descriptor, if it is held.
  void leave_parent();

  // Ownership: each child and each batch counts. Deletes the directory, and its parents, when
  // nobody is left.
  void share() { owners_.fetch_add(1, base::memory_order_relaxed); }
  void release();

  [[nodiscard]] std::string path() const;
  // The names from its root on, without the root's; empty for a root.
  [[nodiscard]] std::string path_in_root() const;

  // Known once it was opened; written before any child exists.
  struct Opened {
    DirId id = kNoDir;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t mount = 0;
    std::uint64_t root_device = 0;
    std::uint64_t root_mount = 0;
  };
  void opened(int descriptor, bool held, const Opened& as);

  Walk& walk() const { return walk_; }
  Directory* parent() const { return parent_; }
  const std::string& name() const { return name_; }
  std::uint32_t depth() const { return depth_; }
  std::size_t root() const { return root_; }
  const Opened& as() const { return as_; }

 private:
  Walk& walk_;
  Directory* const parent_;  // null for a root
  const std::size_t root_;
  const std::uint32_t depth_;
  const std::string name_;
  Opened as_;
  int descriptor_ = -1;
  bool held_ = false;

  // [W1] Each decrement releases and acquires: whoever brings it to 0 sees all uses over, and
  // closes.
  base::atomic<std::uint32_t> users_{
      1};  // of the descriptor: the listing, and children that are not yet opened
  base::atomic<std::uint32_t> owners_{1};  // the same for the object
};

// An open descriptor of a directory's parent: the one it holds, or one opened for the purpose.
class ParentDescriptor {
 public:
  // Ends the child's use of its parent's descriptor when it goes.
  ParentDescriptor(Directory& child, unsigned worker);
  ~ParentDescriptor();
  ParentDescriptor(const ParentDescriptor&) = delete;
  ParentDescriptor& operator=(const ParentDescriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }  // -errno if it could not be opened again

 private:
  Directory& child_;
  int descriptor_;
  bool reopened_ = false;
};

// os::open_directory() at the walk's pace, trying for a while when descriptors have run out: others
// will be closed.
int open_patiently(int at, const char* name, Walk& walk, unsigned worker);

}  // namespace fathom::fs

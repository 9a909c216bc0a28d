// Directory: a directory that the walk is processing.

#pragma once

#include <string>

#include "engine/engine.h"
#include "fathom/base/atomic.h"
#include "fathom/fs/tree.h"
#include "os/os.h"
#include "volume/volume.h"
#include "walk/pending.h"

namespace fathom::fs {

// How many directories may keep their descriptors open for their subdirectories. Thread-safe.
class HeldDescriptors {
 public:
  explicit HeldDescriptors(std::size_t limit) : left_(static_cast<std::ptrdiff_t>(limit)) {}

  bool take() {
    if (left_.fetch_sub(1, base::memory_order_relaxed) > 0) return true;
    give_back();
    return false;
  }
  void give_back() { left_.fetch_add(1, base::memory_order_relaxed); }

  // Descriptors have run out: no more may be held from now on.
  void end() {
    const std::ptrdiff_t left = left_.load(base::memory_order_relaxed);
    if (left > 0) left_.fetch_sub(left, base::memory_order_relaxed);
  }

 private:
  base::atomic<std::ptrdiff_t> left_;
};

class Directory;
class Subdirectories;

// The walk, as its directories see it. Thread-safe.
class DirectoryVisitor {
 public:
  // Processes a directory, or a block of its names.
  virtual void visit(Directory& directory, unsigned worker) noexcept = 0;
  virtual void visit_names(Directory& directory, const os::NameBlock& names,
                           unsigned worker) noexcept = 0;
  // Takes one of them, and owns the rest.
  virtual void visit_subdirectories(Subdirectories& waiting, unsigned worker) noexcept = 0;
  virtual HeldDescriptors& held() = 0;

 protected:
  ~DirectoryVisitor() = default;
};

// A directory that was found in its parent and is waiting to be opened, or that is open so that its
// subdirectories can be opened.
//
// It exists until the last directory below it is done, because paths are made from the names of
// ancestors. If its descriptor is held, it stays open until the last directory in it has been
// opened. See docs/decisions/0003-held-directories.md.
class Directory final : public Work {
 public:
  // A root, by its index in the roots; the path is as the user gave it. If something is `pending`,
  // only that is looked at in the directory.
  Directory(DirectoryVisitor& visitor, std::size_t root, std::string path, bool picked,
            const Pending* pending = nullptr);
  // A directory in another one, as whose child it counts from now on. `inode` is its number if the
  // parent's volume has it, or 0.
  Directory(Directory& parent, const char* name, bool picked, const Pending* pending = nullptr,
            std::uint64_t inode = 0);

  void run(unsigned worker) noexcept override;

  // The descriptor stays open for the calling child or batch until done_with_descriptor(). Only for
  // children that have been counted as users.
  [[nodiscard]] bool held() const { return held_; }
  // Negative if the directory was not opened, because its volume has everything.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Adds a user of the descriptor. Only a current user may call it, so that the descriptor is open.
  void use_descriptor() { users_.fetch_add(1, base::memory_order_relaxed); }
  // The same for other callers; false if the descriptor is closed.
  bool try_use_descriptor();
  void done_with_descriptor();

  // Ends this child's use of its parent's descriptor, if it is held.
  void leave_parent();

  // Shared ownership by each child and each batch. release() deletes the directory, and its
  // parents, when no owner is left.
  void share() { owners_.fetch_add(1, base::memory_order_relaxed); }
  void release();

  [[nodiscard]] std::string path() const;
  // The names from its root on, without the root; empty for a root.
  [[nodiscard]] std::string path_in_root() const;

  // Known once the directory is open; written before any child exists.
  struct Opened {
    DirId id = kNoDir;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t mount = 0;
    std::uint64_t root_device = 0;
    std::uint64_t root_mount = 0;
    const Volume* volume = nullptr;  // its filesystem, if that was read in bulk
    // The inode of the nearest directory above, or of this one, that was opened. In a damaged
    // volume directories may contain each other, or one may have several names. There, each has one
    // parent, and in it one name, so it is read once; and a circle would come back to this inode.
    std::uint64_t entered = 0;
  };
  void opened(int descriptor, bool held, const Opened& as);

  DirectoryVisitor& visitor() const { return visitor_; }
  Directory* parent() const { return parent_; }
  DirId parent_id() const { return parent_ == nullptr ? kNoDir : parent_->as_.id; }
  const std::string& name() const { return name_; }
  std::uint32_t depth() const { return depth_; }
  std::size_t root() const { return root_; }
  // Whether Selection::only picks it, and with it everything in it.
  bool picked() const { return picked_; }
  const Pending* pending() const { return pending_; }
  std::uint64_t inode_in_volume() const { return inode_; }
  const Opened& as() const { return as_; }

 private:
  DirectoryVisitor& visitor_;
  Directory* const parent_;  // null for a root
  const std::size_t root_;
  const std::uint32_t depth_;
  const bool picked_;
  const Pending* const pending_;
  const std::uint64_t inode_;
  const std::string name_;
  Opened as_;
  int descriptor_ = -1;
  bool held_ = false;

  // [W1] Each decrement is a release and an acquire: the thread that reaches 0 sees that all uses
  // have ended, and closes the descriptor.
  base::atomic<std::uint32_t> users_{
      1};  // of the descriptor: the listing, and children that are not open yet
  base::atomic<std::uint32_t> owners_{1};  // the same for the object
};

}  // namespace fathom::fs

// Directory: ownership, descriptors and paths.

#include "walk/directory.h"

#include <utility>
#include <vector>

namespace fathom::fs {

Directory::Directory(DirectoryVisitor& visitor, std::size_t root, std::string path, bool picked,
                     const Pending* pending)
    : visitor_(visitor),
      parent_(nullptr),
      root_(root),
      depth_(0),
      picked_(picked),
      pending_(pending),
      inode_(0),
      name_(std::move(path)) {}

Directory::Directory(Directory& parent, const char* name, bool picked, const Pending* pending,
                     std::uint64_t inode)
    : visitor_(parent.visitor_),
      parent_(&parent),
      root_(parent.root_),
      depth_(parent.depth_ + 1),
      picked_(picked),
      pending_(pending),
      inode_(inode),
      name_(name) {
  parent.share();
  if (parent.held_) parent.use_descriptor();
}

void Directory::run(unsigned worker) noexcept {
  visitor_.visit(*this, worker);
}

void Directory::opened(int descriptor, bool held, const Opened& as) {
  descriptor_ = descriptor;
  held_ = held;
  as_ = as;
}

bool Directory::try_use_descriptor() {
  if (!held_) return false;
  std::uint32_t users = users_.load(base::memory_order_relaxed);
  do {
    if (users == 0) return false;
  } while (!users_.compare_exchange_weak(users, users + 1, base::memory_order_relaxed));
  return true;
}

void Directory::done_with_descriptor() {
  if (users_.fetch_sub(1, base::memory_order_acq_rel) != 1) return;  // [W1]
  if (descriptor_ >= 0) os::close_directory(descriptor_);
  if (held_) visitor_.held().give_back();
}

void Directory::leave_parent() {
  if (parent_ != nullptr && parent_->held_) parent_->done_with_descriptor();
}

void Directory::release() {
  Directory* at = this;
  while (at != nullptr && at->owners_.fetch_sub(1, base::memory_order_acq_rel) == 1) {  // [W1]
    delete std::exchange(at, at->parent_);
  }
}

std::string Directory::path() const {
  const Directory* root = this;
  while (root->parent_ != nullptr) root = root->parent_;
  std::string path = root->name_;
  if (root == this) return path;
  if (!path.empty() && path.back() != '/') path += '/';
  return path + path_in_root();
}

std::string Directory::path_in_root() const {
  std::vector<const std::string*> names;
  for (const Directory* at = this; at->parent_ != nullptr; at = at->parent_) {
    names.push_back(&at->name_);
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!path.empty()) path += '/';
    path += **name;
  }
  return path;
}

}  // namespace fathom::fs

// Directory: ownership, descriptors, and reopening by name.

#include "walk/directory.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "walk/walk.h"

namespace fathom::fs {

namespace {

// Opens the directory again by its names, from the nearest ancestor that is still open, or from its
// root.
int reopen(Directory& directory, unsigned worker) {
  std::vector<Directory*> missing;
  Directory* open = &directory;
  while (open != nullptr && !open->try_use_descriptor()) {
    missing.push_back(open);
    open = open->parent();
  }
  int at = open == nullptr ? os::kCurrentDirectory : open->descriptor();
  for (auto next = missing.rbegin();
       next != missing.rend() && (at >= 0 || next == missing.rbegin()); ++next) {
    const int below = open_patiently(at, (*next)->name().c_str(), directory.walk(), worker);
    if (next != missing.rbegin()) os::close_directory(at);
    at = below;
  }
  if (open != nullptr) open->done_with_descriptor();
  return at;
}

// Whether the descriptor refers to the directory that was listed, rather than to a replacement.
bool is_same(int descriptor, const Directory& directory, unsigned worker) {
  Entry entry;
  directory.walk().pace(worker);
  return os::stat_directory(descriptor, entry) == 0 && entry.inode == directory.as().inode &&
         entry.device == directory.as().device;
}

}  // namespace

int open_patiently(int at, const char* name, Walk& walk, unsigned worker) {
  constexpr int kAttempts = 200;
  constexpr std::chrono::milliseconds kPause{1};
  for (int attempt = 1;; ++attempt) {
    walk.pace(worker);
    const int directory = os::open_directory(at, name);
    const bool exhausted = directory == -EMFILE || directory == -ENFILE;
    if (!exhausted || attempt == kAttempts) return directory;
    walk.held().end();
    std::this_thread::sleep_for(kPause);
  }
}

Directory::Directory(Walk& walk, std::size_t root, std::string path)
    : walk_(walk), parent_(nullptr), root_(root), depth_(0), name_(std::move(path)) {}

Directory::Directory(Directory& parent, const char* name)
    : walk_(parent.walk_),
      parent_(&parent),
      root_(parent.root_),
      depth_(parent.depth_ + 1),
      name_(name) {
  parent.share();
  if (parent.held_) parent.use_descriptor();
}

void Directory::run(unsigned worker) noexcept {
  walk_.visit(*this, worker);
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
  os::close_directory(descriptor_);
  if (held_) walk_.held().give_back();
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

ParentDescriptor::ParentDescriptor(Directory& child, unsigned worker)
    : child_(child), descriptor_(os::kCurrentDirectory) {
  Directory* const parent = child.parent();
  if (parent == nullptr) return;
  if (parent->held()) {
    descriptor_ = parent->descriptor();
    return;
  }
  descriptor_ = reopen(*parent, worker);
  reopened_ = descriptor_ >= 0;
  if (reopened_ && !is_same(descriptor_, *parent, worker)) {
    os::close_directory(descriptor_);
    reopened_ = false;
    descriptor_ = -ENOENT;
  }
}

ParentDescriptor::~ParentDescriptor() {
  if (reopened_) os::close_directory(descriptor_);
  child_.leave_parent();
}

}  // namespace fathom::fs

// Opening: looks at a directory, opens it from its parent, looks again, and adds it.

#include "walk/opening.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "os/os.h"
#include "volume/ext4_format.h"

namespace fathom::fs {

namespace {

// Closes a descriptor at the end, unless it is negative.
struct Closer {
  int descriptor;
  ~Closer() {
    if (descriptor >= 0) os::close_directory(descriptor);
  }
};

// Opens at the pace of the walk; for lookups only if an earlier shard has listed the directory. If
// descriptors have run out, retries for a while, because other threads will close some.
int open_patiently(int at, const Directory& directory, Worker& worker) {
  constexpr int kAttempts = 200;
  constexpr std::chrono::milliseconds kPause{1};
  for (int attempt = 1;; ++attempt) {
    worker.pace();
    const char* const name = directory.name().c_str();
    const int descriptor = directory.pending() != nullptr ? os::open_for_lookups(at, name)
                                                          : os::open_directory(at, name);
    const bool exhausted = descriptor == -EMFILE || descriptor == -ENFILE;
    if (!exhausted || attempt == kAttempts) return descriptor;
    directory.visitor().held().end();
    std::this_thread::sleep_for(kPause);
  }
}

// Opens the directory again by its names, from the nearest ancestor that is still open, or from its
// root.
int reopen(Directory& directory, Worker& worker) {
  std::vector<Directory*> missing;
  Directory* open = &directory;
  while (open != nullptr && !open->try_use_descriptor()) {
    missing.push_back(open);
    open = open->parent();
  }
  int at = open == nullptr ? os::kCurrentDirectory : open->descriptor();
  for (auto next = missing.rbegin();
       next != missing.rend() && (at >= 0 || next == missing.rbegin()); ++next) {
    const int below = open_patiently(at, **next, worker);
    if (next != missing.rbegin()) os::close_directory(at);
    at = below;
  }
  if (open != nullptr) open->done_with_descriptor();
  return at;
}

// Whether the descriptor refers to the directory that was listed, rather than to a replacement.
bool is_same(int descriptor, const Directory& directory, Worker& worker) {
  Entry entry;
  worker.pace();
  return os::stat_directory(descriptor, entry) == 0 && entry.inode == directory.as().inode &&
         entry.device == directory.as().device;
}

}  // namespace

int open_again(Directory& directory, Worker& worker) {
  const int descriptor = reopen(directory, worker);
  if (descriptor < 0 || is_same(descriptor, directory, worker)) return descriptor;
  os::close_directory(descriptor);
  return -ENOENT;
}

namespace {

// An open descriptor of a directory's parent: the held one, or one opened for this purpose.
class ParentDescriptor {
 public:
  // The destructor ends the child's use of its parent's descriptor.
  ParentDescriptor(Directory& child, Worker& worker) : child_(child) {
    Directory* const parent = child.parent();
    if (parent == nullptr) return;
    if (parent->held()) {
      descriptor_ = parent->descriptor();
      return;
    }
    descriptor_ = reopened_.descriptor = open_again(*parent, worker);
  }
  ~ParentDescriptor() { child_.leave_parent(); }
  ParentDescriptor(const ParentDescriptor&) = delete;
  ParentDescriptor& operator=(const ParentDescriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }  // -errno if it could not be reopened

 private:
  Directory& child_;
  int descriptor_ = os::kCurrentDirectory;
  Closer reopened_{-1};
};

// Adds an opened directory to the tree. Closes the descriptor and returns false if the directory is
// not to be entered.
bool enter(Directory& directory, int descriptor, const Borders& borders, Volumes& volumes,
           Worker& worker) {
  Closer closer{descriptor};
  Entry entry;
  std::uint64_t mount = 0;
  worker.pace();
  if (const int error = -os::stat_directory(descriptor, entry, &mount, worker.wanted());
      error != 0) {
    worker.report("stat", directory.path(), error, directory.parent_id());
    return false;
  }
  if (const auto why = borders.reason_to_exclude(directory, descriptor, entry, mount, worker)) {
    worker.exclude(directory.parent_id(), directory.name(), *why);
    return false;
  }
  const Directory* const parent = directory.parent();
  const bool is_inside =
      parent != nullptr && parent->as().device == entry.device && parent->as().mount == mount;
  const Volume* const volume =
      is_inside ? parent->as().volume : volumes.at(directory, descriptor, entry, mount);
  if (volume != nullptr && volume->is_snapshot()) {
    if (const Inode* const then = volume->inode(entry.inode)) {
      entry = then->entry(entry.inode, entry.device);
    }
  }
  const DirId id = worker.add_directory(directory, entry);
  directory.opened(std::exchange(closer.descriptor, -1), directory.visitor().held().take(),
                   {.id = id,
                    .device = entry.device,
                    .inode = entry.inode,
                    .mount = mount,
                    .root_device = parent == nullptr ? entry.device : parent->as().root_device,
                    .root_mount = parent == nullptr ? mount : parent->as().root_mount,
                    .volume = volume,
                    .entered = entry.inode});
  return true;
}

bool is_in_image(const Directory& directory) {
  const Directory* const parent = directory.parent();
  return parent != nullptr && parent->as().volume != nullptr && parent->as().volume->is_image();
}

// Adds the topmost directory of an image to the tree.
void enter_image(Directory& root, const Volume& image, Worker& worker) {
  const std::uint64_t device = image.device();
  const DirId id =
      worker.add_directory(root, image.inode(ext4::kRootInode)->entry(ext4::kRootInode, device));
  root.opened(-1, false,
              {.id = id,
               .device = device,
               .inode = ext4::kRootInode,
               .root_device = device,
               .volume = &image,
               .entered = ext4::kRootInode});
}

// Finds out what a directory that could not be opened in its parent is now. True if it is an image
// that has to be listed.
bool cannot_open(Directory& directory, int at, int error, const Borders& borders, Volumes& volumes,
                 Worker& worker) {
  const DirId in = directory.parent_id();
  const char* const name = directory.name().c_str();
  Entry entry;
  std::uint64_t mount = 0;
  worker.pace();
  const int stat_error = -os::stat_at(at, name, entry, &mount, worker.wanted());
  if (stat_error == ENOENT && in != kNoDir) {
    worker.count_changed();
    return false;
  }
  if (stat_error != 0) {
    worker.report("open", directory.path(), stat_error, in);
    return false;
  }
  if (borders.is_elsewhere(directory.parent(), entry, mount)) {
    worker.exclude(in, name, Excluded::other_filesystem);
    return false;
  }
  if (entry.kind() != Kind::directory) {
    int image_error = 0;
    const Volume* const image =
        directory.parent() == nullptr ? volumes.image(directory, entry, image_error) : nullptr;
    if (image != nullptr) {
      enter_image(directory, *image, worker);
      return true;
    }
    if (image_error != 0) worker.report("read", directory.path(), image_error, in);
    // A root, or a directory that was replaced by something else since it was listed.
    const bool picked =
        directory.picked() || (directory.parent() == nullptr && worker.picks_root(name));
    worker.place_root(directory, worker.add(at, in, name, entry, picked));
    return false;
  }
  worker.report("open", directory.path(), error, worker.add_directory(directory, entry));
  return false;
}

}  // namespace

bool add_from_volume(Directory& directory, Worker& worker) {
  const std::uint64_t inode = directory.inode_in_volume();
  if (inode == 0) return false;
  Directory::Opened as = directory.parent()->as();
  as.inode = inode;
  directory.leave_parent();
  as.id = worker.add_directory(directory, as.volume->inode(inode)->entry(inode, as.device));
  directory.opened(-1, false, as);
  return true;
}

bool open_and_add(Directory& directory, const Borders& borders, Volumes& volumes, Worker& worker) {
  if (is_in_image(directory)) {
    directory.leave_parent();
    worker.report("open", directory.path(), EIO, directory.parent_id());
    return false;
  }
  const ParentDescriptor parent(directory, worker);
  const int at = parent.get();
  if (at < 0 && at != os::kCurrentDirectory) {  // only its name is known
    worker.report("open", directory.path(), -at, directory.parent_id());
    return false;
  }
  if (!borders.may_open(directory, at, worker)) {
    worker.exclude(directory.parent_id(), directory.name(), Excluded::other_filesystem);
    return false;
  }
  const int descriptor = open_patiently(at, directory, worker);
  if (descriptor >= 0) return enter(directory, descriptor, borders, volumes, worker);
  return cannot_open(directory, at, -descriptor, borders, volumes, worker);
}

}  // namespace fathom::fs

// FrozenSubvolume: BTRFS_IOC_SNAP_CREATE_V2 and BTRFS_IOC_SNAP_DESTROY.

#include "run/frozen_subvolume.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fathom/base/error.h"

#ifdef __linux__
#include <linux/btrfs.h>
#endif

namespace fathom::cli {

#ifdef __linux__

namespace {

constexpr std::string_view kBeginning = ".fathom-snapshot-";
constexpr ino_t kTop = 256;  // the inode of the top directory of every subvolume

[[noreturn]] void fail(const char* what, int error) {
  throw base::Error(what + (": " + std::generic_category().message(error)));
}

base::Fd open_directory(int at, const char* name) {
  return base::Fd(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_top_of_subvolume(int directory) {
  struct stat found = {};
  return ::fstat(directory, &found) == 0 && found.st_ino == kTop;
}

void destroy(int parent, const std::string& name) {
  btrfs_ioctl_vol_args arguments = {};
  name.copy(arguments.name, sizeof arguments.name - 1);
  ::ioctl(parent, BTRFS_IOC_SNAP_DESTROY, &arguments);
}

bool is_read_only(int subvolume) {
  std::uint64_t flags = 0;
  return ::ioctl(subvolume, BTRFS_IOC_SUBVOL_GETFLAGS, &flags) == 0 &&
         (flags & BTRFS_SUBVOL_RDONLY) != 0;
}

// Whether it is a snapshot of a process that has ended: others have theirs locked.
bool is_left_behind(int snapshot) {
  return is_top_of_subvolume(snapshot) && is_read_only(snapshot) &&
         ::flock(snapshot, LOCK_EX | LOCK_NB) == 0;
}

void remove_left_behind(int parent) {
  base::Fd listed = open_directory(parent, ".");
  DIR* const names = listed ? ::fdopendir(listed.get()) : nullptr;
  if (names == nullptr) return;
  static_cast<void>(listed.release());  // closedir() closes it
  while (const dirent* const entry = ::readdir(names)) {
    const std::string name = entry->d_name;
    if (!name.starts_with(kBeginning)) continue;
    const base::Fd snapshot = open_directory(parent, name.c_str());
    if (snapshot && is_left_behind(snapshot.get())) destroy(parent, name);
  }
  ::closedir(names);
}

void create(int parent, const std::string& name) {
  btrfs_ioctl_vol_args_v2 arguments = {};
  arguments.fd = parent;
  arguments.flags = BTRFS_SUBVOL_RDONLY;
  name.copy(arguments.name, sizeof arguments.name - 1);
  if (::ioctl(parent, BTRFS_IOC_SNAP_CREATE_V2, &arguments) != 0) {
    fail("no snapshot of it can be made", errno);
  }
}

// Opens and locks a snapshot that was just made. None if another process took it for one that was
// left behind, and removes it.
base::Fd take(int parent, const std::string& name) {
  base::Fd top = open_directory(parent, name.c_str());
  if (!top || ::flock(top.get(), LOCK_EX | LOCK_NB) != 0) return {};
  struct stat opened = {};
  struct stat named = {};
  const bool is_there = ::fstat(top.get(), &opened) == 0 &&
                        ::fstatat(parent, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                        opened.st_dev == named.st_dev;
  return is_there ? std::move(top) : base::Fd();
}

// Removes the snapshot when nobody reads it any more.
class Frozen {
 public:
  explicit Frozen(int subvolume) : parent_(open_directory(subvolume, ".")) {
    if (!parent_) fail("it cannot be opened", errno);
    remove_left_behind(parent_.get());
    constexpr int kAttempts = 5;
    for (int attempt = 1; !top_; ++attempt) {
      if (attempt > kAttempts) throw base::Error("another process removes its snapshots");
      name_ = std::string(kBeginning) + std::to_string(::getpid()) + '-' + std::to_string(attempt);
      create(parent_.get(), name_);
      top_ = take(parent_.get(), name_);
    }
  }
  ~Frozen() {
    if (top_) destroy(parent_.get(), name_);
  }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

  [[nodiscard]] const base::Fd& top() const { return top_; }

 private:
  base::Fd parent_;
  std::string name_;
  base::Fd top_;
};

}  // namespace

std::shared_ptr<const base::Fd> freeze_subvolume(int directory) {
  if (!is_top_of_subvolume(directory)) {
    throw base::Error("the directory is only a part of it, which has no snapshots");
  }
  if (is_read_only(directory)) {  // it needs none, and cannot contain one
    return std::make_shared<const base::Fd>(open_directory(directory, "."));
  }
  const auto frozen = std::make_shared<const Frozen>(directory);
  return {frozen, &frozen->top()};
}

#else

std::shared_ptr<const base::Fd> freeze_subvolume(int /*directory*/) {
  throw base::Error("this system has no btrfs");
}

#endif

}  // namespace fathom::cli

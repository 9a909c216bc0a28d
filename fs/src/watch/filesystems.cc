// Filesystems: which mounts there are, and which of them report all changes.

#include "watch/filesystems.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "fathom/base/path.h"
#include "fathom/fs/tree.h"
#include "os/os.h"

namespace fathom::fs {
namespace {

// The types that change only through this kernel, and whose inodes have numbers and handles that
// last. Not those of networks, clusters and FUSE, which change elsewhere; not those of the kernel,
// which change by themselves; not FAT, which forgets its handles.
constexpr std::string_view kLocal[] = {"ext2",  "ext3",     "ext4",    "xfs",      "btrfs", "f2fs",
                                       "tmpfs", "devtmpfs", "iso9660", "squashfs", "erofs"};

bool is_local(const Mount& mount) {
  return std::find(std::begin(kLocal), std::end(kLocal), mount.type) != std::end(kLocal);
}

bool is_same(const Mount& a, const Mount& b) {
  return a.id == b.id && a.parent == b.parent && a.device == b.device && a.top == b.top &&
         a.point == b.point && a.type == b.type;
}

bool are_same(const std::vector<Mount>& a, const std::vector<Mount>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same);
}

// The number of the mount that a path leads to; -1 if unknown.
std::int64_t mount_at(const std::string& path) {
  Entry unused;
  std::uint64_t mount = 0;
  const int result = os::stat_at(os::kCurrentDirectory, path.c_str(), unused, &mount);
  return result < 0 ? -1 : static_cast<std::int64_t>(mount);
}

void sort_and_unite(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

Filesystems::Filesystems(std::vector<std::string> roots, int queue)
    : roots_(std::move(roots)), queue_(queue) {}

bool Filesystems::follow_mounts() {
  close();
  is_one_lost_ = false;
  std::vector<std::string> unknown;
  std::vector<Mount> mounts = find_mounts(unknown);
  if (!followed_.empty() && are_same(mounts, mounts_) && are_followed()) {
    close();
    return false;
  }
  mounts_ = std::move(mounts);
  followed_.clear();
  not_followed_ = std::move(unknown);
  os::stop_following(queue_);
  std::map<std::uint64_t, std::vector<Mount>> by_device;
  for (const Mount& mount : mounts_) by_device[mount.device].push_back(mount);
  for (auto& [device, its_mounts] : by_device) follow(std::move(its_mounts));
  sort_and_unite(not_followed_);
  close();
  return true;
}

// Adds the roots whose mount is not listed, as in a chroot(2), to the unknown ones. An autofs only
// waits: what it mounts is a mount of its own.
std::vector<Mount> Filesystems::find_mounts(std::vector<std::string>& unknown) const {
  std::vector<Mount> all = own_mounts();
  std::vector<std::int64_t> of_roots;
  for (const std::string& root : roots_) {
    const std::int64_t mount = mount_at(root);
    const auto is_it = [&](const Mount& other) { return other.id == mount; };
    if (std::none_of(all.begin(), all.end(), is_it)) unknown.push_back(root);
    of_roots.push_back(mount);
  }
  const auto is_elsewhere = [&](const Mount& mount) {
    if (mount.type == "autofs") return true;
    if (std::find(of_roots.begin(), of_roots.end(), mount.id) != of_roots.end()) return false;
    return std::none_of(roots_.begin(), roots_.end(),
                        [&](const std::string& root) { return base::is_below(mount.point, root); });
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_elsewhere), all.end());
  return all;
}

// Takes the mounts of one filesystem.
void Filesystems::follow(std::vector<Mount> mounts) {
  Followed filesystem{.mounts = std::move(mounts)};
  int result = -ENOTSUP;
  if (is_local(filesystem.mounts.front())) {
    result = open(filesystem);
    if (result == -ESTALE) return;  // all its mounts are hidden by others, so scans do not enter it
    if (result >= 0) result = os::follow(queue_, result, filesystem.id);
  }
  if (result >= 0) {
    followed_.push_back(std::move(filesystem));
    return;
  }
  if (result == -EPERM) is_refused_ = true;
  for (const Mount& mount : filesystem.mounts) not_followed_.push_back(mount.point);
}

// Opens any mount of the filesystem and returns its descriptor; -ESTALE if none can be reached.
int Filesystems::open(Followed& filesystem) {
  int result = -ESTALE;
  for (const Mount& mount : filesystem.mounts) {
    if (filesystem.open) break;
    const int opened = os::open_mounted(mount.point, mount.id);
    if (opened >= 0) filesystem.open.reset(opened);
    const bool is_hidden = opened == -ESTALE || opened == -ENOENT || opened == -ENOTDIR;
    if (!is_hidden) result = opened;
  }
  return filesystem.open ? filesystem.open.get() : result;
}

bool Filesystems::are_followed() {
  return std::all_of(followed_.begin(), followed_.end(), [&](Followed& filesystem) {
    const int mounted = open(filesystem);
    return mounted >= 0 && os::is_followed(queue_, mounted);
  });
}

int Filesystems::find(std::size_t index, HandleBytes handle, os::InodeNumber& inode) {
  const int mounted = open(followed_[index]);
  if (mounted < 0) {
    is_one_lost_ = true;
    return -ENODEV;  // only a handle may be stale
  }
  return os::find_inode(mounted, handle, inode);
}

void Filesystems::close() {
  for (Followed& filesystem : followed_) filesystem.open.reset();
}

}  // namespace fathom::fs

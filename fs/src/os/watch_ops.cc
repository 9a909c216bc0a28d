// The system calls of watch_ops.h, for Linux.

#include "os/watch_ops.h"

#include <cerrno>

#ifdef __linux__
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "fathom/fs/tree.h"
#include "os/os.h"
#include "os/volume_ops.h"
#endif

namespace fathom::fs::os {

#ifdef __linux__

namespace {

// FAN_REPORT_DFID_NAME_TARGET, which headers before Linux 5.17 do not have.
constexpr unsigned kReport = 0x200 | 0x400 | 0x800 | 0x1000;

// Nothing that reading causes. That a file is closed is the only report of what was written through
// a map into memory, by asynchronous calls or to a loop device.
constexpr std::uint64_t kChanges = FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO |
                                   FAN_ATTRIB | FAN_MODIFY | FAN_CLOSE_WRITE | FAN_ONDIR;

// A file_handle with room for the longest one.
class Handle {
 public:
  Handle() { set_room(); }
  explicit Handle(std::span<const std::byte> bytes) {
    std::copy_n(bytes.begin(), std::min(bytes.size(), bytes_.size()), bytes_.begin());
  }
  Handle(std::int32_t type, std::span<const std::byte> rest) {
    const auto size = static_cast<std::uint32_t>(rest.size());
    std::memcpy(bytes_.data(), &size, sizeof size);
    std::memcpy(bytes_.data() + sizeof size, &type, sizeof type);
    std::copy(rest.begin(), rest.end(), bytes_.begin() + kHeader);
  }

  [[nodiscard]] file_handle* get() { return reinterpret_cast<file_handle*>(bytes_.data()); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kHeader = 8;
  static constexpr std::size_t kRoom = 128;  // MAX_HANDLE_SZ

  void set_room() {
    const auto size = static_cast<std::uint32_t>(kRoom);
    std::memcpy(bytes_.data(), &size, sizeof size);
  }

  alignas(file_handle) std::array<std::byte, kHeader + kRoom> bytes_{};
};

int open_handle(int mounted, Handle& handle, int flags) {
  return base::retry_errno([&] { return ::open_by_handle_at(mounted, handle.get(), flags); });
}

// The link to an open file, which leads to it even where no path does.
std::string link_to(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

int reopen(int file, int flags) {
  const std::string link = link_to(file);
  return base::retry_errno([&] { return ::open(link.c_str(), flags | O_CLOEXEC); });
}

// The topmost directory of a btrfs, which need not be mounted. The handle is that of its inode 256
// in the subvolume 5, of any generation.
int open_top_of_btrfs(int mounted) {
  constexpr std::int32_t kWithoutParent = 0x4d;  // FILEID_BTRFS_WITHOUT_PARENT
  constexpr std::array<std::uint64_t, 2> kTop = {256, 5};
  std::array<std::byte, sizeof kTop + 4> rest{};
  std::memcpy(rest.data(), kTop.data(), sizeof kTop);
  Handle handle(kWithoutParent, rest);
  return open_handle(mounted, handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// What the kernel follows a filesystem by. It refuses subvolumes of btrfs, but the topmost
// directory stands for all of them.
int open_to_follow(int mounted) {
  if (volume_type(mounted) == VolumeType::btrfs) return open_top_of_btrfs(mounted);
  return reopen(mounted, O_PATH);
}

int mark(int queue, unsigned how, std::uint64_t events, int file) {
  const std::string link = link_to(file);
  return base::retry_errno([&] {
    return ::fanotify_mark(queue, how | FAN_MARK_FILESYSTEM, events, AT_FDCWD, link.c_str());
  });
}

int inode_of(int file, InodeNumber& inode) {
  struct stat found = {};
  const int result = base::retry_errno([&] { return ::fstat(file, &found); });
  inode = {found.st_dev, found.st_ino};
  return result;
}

// Whether the handle of an open file leads to it.
int check_handles(int mounted) {
  Handle handle;
  int mount = 0;
  const int named = base::retry_errno(
      [&] { return ::name_to_handle_at(mounted, "", handle.get(), &mount, AT_EMPTY_PATH); });
  if (named < 0) return named;
  InodeNumber itself;
  InodeNumber found;
  const int result = inode_of(mounted, itself);
  if (result < 0) return result;
  const int resolved = find_inode(mounted, handle.bytes(), found);
  if (resolved < 0) return resolved;
  return found == itself ? 0 : -ENOTSUP;
}

}  // namespace

int open_change_queue() {
  constexpr unsigned kFlags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | kReport;
  return base::retry_errno([] { return ::fanotify_init(kFlags, O_RDONLY); });
}

int read_events(int queue, std::span<std::byte> to) {
  return static_cast<int>(base::retry_errno([&] { return ::read(queue, to.data(), to.size()); }));
}

int open_mount_table() {
  return base::retry_errno([] { return ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC); });
}

bool has_changed(int mount_table) {
  struct pollfd asked = {.fd = mount_table, .events = POLLPRI, .revents = 0};
  return base::retry([&] { return ::poll(&asked, 1, 0); }) > 0;
}

int join(int queue, int mount_table) {
  base::Fd both(::epoll_create1(EPOLL_CLOEXEC));
  if (!both) return -errno;
  struct epoll_event event = {};
  event.events = EPOLLIN;
  if (::epoll_ctl(both.get(), EPOLL_CTL_ADD, queue, &event) != 0) return -errno;
  event.events = EPOLLPRI;
  if (::epoll_ctl(both.get(), EPOLL_CTL_ADD, mount_table, &event) != 0) return -errno;
  return both.release();
}

int open_mounted(const std::string& point, std::int64_t mount) {
  constexpr int kFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  const base::Fd found(base::retry_errno([&] { return ::open(point.c_str(), kFlags); }));
  if (!found) return found.get();
  Entry entry;
  std::uint64_t number = 0;
  const int result = stat_directory(found.get(), entry, &number);
  if (result < 0) return result;
  if (number != static_cast<std::uint64_t>(mount)) return -ESTALE;
  if (!S_ISDIR(entry.mode) && !S_ISREG(entry.mode)) return -ENODEV;  // opening it may do something
  return reopen(found.get(), O_RDONLY | O_NONBLOCK);
}

int follow(int queue, int mounted, std::uint64_t& id) {
  const int checked = check_handles(mounted);
  if (checked < 0) return checked;
  const base::Fd top(open_to_follow(mounted));
  if (!top) return top.get();
  struct statfs facts = {};
  const int result = base::retry_errno([&] { return ::fstatfs(top.get(), &facts); });
  if (result < 0) return result;
  static_assert(sizeof facts.f_fsid == sizeof id);
  std::memcpy(&id, &facts.f_fsid, sizeof id);
  return mark(queue, FAN_MARK_ADD, kChanges, top.get());
}

bool is_followed(int queue, int mounted) {
  const base::Fd top(open_to_follow(mounted));
  // Removes an event that is never requested. This fails if none is.
  return top && mark(queue, FAN_MARK_REMOVE, FAN_OPEN, top.get()) == 0;
}

void stop_following(int queue) {
  ::fanotify_mark(queue, FAN_MARK_FLUSH | FAN_MARK_FILESYSTEM, 0, AT_FDCWD, nullptr);
}

int find_inode(int mounted, std::span<const std::byte> handle, InodeNumber& inode) {
  Handle copy(handle);
  const base::Fd file(open_handle(mounted, copy, O_PATH | O_CLOEXEC));
  return file ? inode_of(file.get(), inode) : file.get();
}

#else

int open_change_queue() {
  return -ENOTSUP;
}
int read_events(int /*queue*/, std::span<std::byte> /*to*/) {
  return -ENOTSUP;
}
int open_mount_table() {
  return -ENOTSUP;
}
bool has_changed(int /*mount_table*/) {
  return false;
}
int join(int /*queue*/, int /*mount_table*/) {
  return -ENOTSUP;
}
int open_mounted(const std::string& /*point*/, std::int64_t /*mount*/) {
  return -ENOTSUP;
}
int follow(int /*queue*/, int /*mounted*/, std::uint64_t& /*id*/) {
  return -ENOTSUP;
}
bool is_followed(int /*queue*/, int /*mounted*/) {
  return false;
}
void stop_following(int /*queue*/) {}
int find_inode(int /*mounted*/, std::span<const std::byte> /*handle*/, InodeNumber& /*inode*/) {
  return -ENOTSUP;
}

#endif

}  // namespace fathom::fs::os

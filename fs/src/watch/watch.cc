// Watch: from the events of the kernel to inode numbers.

#include "fathom/fs/watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <unordered_map>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/path.h"
#include "os/watch_ops.h"
#include "watch/events.h"
#include "watch/filesystems.h"

namespace fathom::fs {
namespace {

using base::Error;
using base::SystemError;

std::vector<std::string> resolve(const std::vector<std::string>& roots) {
  std::vector<std::string> resolved;
  for (const std::string& root : roots) {
    const auto path = base::real_path(root);
    if (!path) throw SystemError("cannot follow the changes of " + root, errno);
    resolved.push_back(*path);
  }
  return resolved;
}

base::Fd open_queue() {
  const int queue = os::open_change_queue();
  switch (-queue) {
    case ENOTSUP:
    case ENOSYS:
      throw Error("cannot follow changes: this system does not report those of whole filesystems");
    case EINVAL:
      throw Error("cannot follow changes: Linux 5.17 or newer is needed");
    case EPERM:
      throw Error("cannot follow changes: run it as root");
    case EMFILE:
      throw Error(
          "cannot follow changes: raise fs.fanotify.max_user_groups, or the limit of open"
          " files");
    default:
      if (queue < 0) throw SystemError("cannot follow changes", -queue);
      return base::Fd(queue);
  }
}

base::Fd checked(int descriptor) {
  if (descriptor < 0) throw SystemError("cannot follow mounts", -descriptor);
  return base::Fd(descriptor);
}

}  // namespace

class Watch::State {
 public:
  State(const std::vector<std::string>& roots, std::size_t most_inodes)
      : most_inodes_(most_inodes), filesystems_(resolve(roots), queue_.get()) {
    filesystems_.follow_mounts();
    if (filesystems_.is_refused()) {
      throw Error(
          "cannot follow changes: run it as root, outside of containers without"
          " CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH");
    }
    if (filesystems_.count() == 0) {
      throw Error("cannot follow the changes of " + (roots.empty() ? "nothing" : roots.front()) +
                  ": its filesystem does not report all of them; scan it again instead");
    }
  }

  [[nodiscard]] int descriptor() const { return both_.get(); }
  [[nodiscard]] bool changed() const { return missed_ || !found_.empty(); }
  [[nodiscard]] const Filesystems& filesystems() const { return filesystems_; }

  void read() {
    if (os::has_changed(mount_table_.get()) && filesystems_.follow_mounts()) miss();
    read_events();
    if (filesystems_.is_one_lost() && filesystems_.follow_mounts()) miss();
    filesystems_.close();
  }

  Changes take() {
    Changes changes;
    changes.missed = missed_;
    changes.inodes.reserve(found_.size());
    for (const auto& [handle, inode] : found_) changes.inodes.push_back(inode);
    Found().swap(found_);
    missed_ = false;
    std::sort(changes.inodes.begin(), changes.inodes.end());
    changes.inodes.erase(std::unique(changes.inodes.begin(), changes.inodes.end()),
                         changes.inodes.end());
    return changes;
  }

 private:
  using Found = std::unordered_map<std::string, os::InodeNumber>;  // by filesystem and handle

  static constexpr std::size_t kBlock = 64 * 1024;
  static constexpr int kBlocks = 256;  // that one read() takes: others must be able to stop it

  void read_events() {
    for (int i = 0; i < kBlocks; ++i) {
      const int length = os::read_events(queue_.get(), block_);
      if (length == -EAGAIN) return;
      if (length <= 0) return miss();
      const Events events = parse_events(std::span(block_).first(static_cast<std::size_t>(length)));
      if (events.missed) miss();
      for (const ChangedHandle& changed : events.changed) add(changed);
    }
  }

  // If filesystems have the same id, any of them may have changed.
  void add(const ChangedHandle& changed) {
    if (missed_) return;
    bool is_known = false;
    for (std::size_t i = 0; i < filesystems_.count(); ++i) {
      if (!filesystems_.has(i, changed.filesystem)) continue;
      is_known = true;
      add(i, changed.handle);
    }
    if (!is_known) miss();
  }

  // A stale handle is not remembered: a file without a name may get one.
  void add(std::size_t filesystem, HandleBytes handle) {
    key_.assign(reinterpret_cast<const char*>(&filesystem), sizeof filesystem);
    key_.append(reinterpret_cast<const char*>(handle.data()), handle.size());
    if (missed_ || found_.contains(key_)) return;
    os::InodeNumber inode;
    const int result = filesystems_.find(filesystem, handle, inode);
    if (result == -ESTALE) return;
    if (result < 0 || found_.size() >= most_inodes_) return miss();
    found_.emplace(key_, inode);
  }

  // From now on until take(), nothing else matters.
  void miss() {
    missed_ = true;
    Found().swap(found_);  // clear() would keep the memory
  }

  std::size_t most_inodes_;
  base::Fd queue_ = open_queue();
  // Opened before the mounts are read, so that no later one is missed.
  base::Fd mount_table_ = checked(os::open_mount_table());
  base::Fd waited_for_ = checked(os::open_mount_table());
  base::Fd both_ = checked(os::join(queue_.get(), waited_for_.get()));
  Filesystems filesystems_;
  bool missed_ = false;
  Found found_;
  std::string key_;
  alignas(8) std::array<std::byte, kBlock> block_;
};

Watch::Watch(const std::vector<std::string>& roots, std::size_t most_inodes)
    : state_(std::make_unique<State>(roots, most_inodes)) {}
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;
Watch::~Watch() = default;

int Watch::descriptor() const {
  return state_->descriptor();
}

void Watch::read() {
  state_->read();
}

bool Watch::changed() const {
  return state_->changed();
}

Changes Watch::take() {
  return state_->take();
}

const std::vector<std::string>& Watch::not_followed() const {
  return state_->filesystems().not_followed();
}

}  // namespace fathom::fs

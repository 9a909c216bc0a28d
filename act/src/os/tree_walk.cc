// TreeWalk: the levels between the root and the current directory.

#include "os/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <string_view>
#include <utility>

#include "fathom/base/retry.h"
#include "fathom/base/statx.h"
#include "os/listing.h"
#include "os/safe_open.h"

namespace fathom::act {

namespace {

constexpr int kSubfolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
// Levels above the current one that stay open.
constexpr std::size_t kMostOpen = 32;

int open_by_name(int folder, const char* name, base::Fd& opened) {
  const int result = base::retry_errno([&] { return ::openat(folder, name, kSubfolderFlags); });
  if (result < 0) return result;
  opened.reset(result);
  return 0;
}

// -ENOSYS: not supported, so the caller has to compare devices.
int open_without_crossing([[maybe_unused]] int folder, [[maybe_unused]] const char* name,
                          [[maybe_unused]] base::Fd& opened) {
#ifdef SYS_openat2
  struct open_how how = {};
  how.flags = kSubfolderFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  const int result = base::retry_errno(
      [&] { return static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how)); });
  if (result >= 0) {
    opened.reset(result);
    return 0;
  }
  const bool is_unsupported =
      result == -EPERM || result == -EINVAL || result == -E2BIG || result == -EAGAIN;
  return is_unsupported ? -ENOSYS : result;
#else
  return -ENOSYS;
#endif
}

bool is_mount_root([[maybe_unused]] int folder) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx seen = {};
  return ::statx(folder, "", AT_EMPTY_PATH, STATX_TYPE, &seen) == 0 &&
         (seen.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 &&
         (seen.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

int state_below(int folder, const char* name, FileState& state) {
  struct stat seen = {};
  const int result =
      base::retry_errno([&] { return ::fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW); });
  if (result == 0) state = converted(seen);
  return result;
}

}  // namespace

int open_subfolder(int folder, const char* name, base::Fd& opened) {
  const int result = open_without_crossing(folder, name, opened);
  if (result != -ENOSYS) return result;
  if (const int again = open_by_name(folder, name, opened); again < 0) return again;
  FileState above;
  FileState below;
  if (const int code = state_of(folder, above); code < 0) return code;
  if (const int code = state_of(opened.get(), below); code < 0) return code;
  const bool crosses =
      above.identity.device != below.identity.device || is_mount_root(opened.get());
  return crosses ? -EXDEV : 0;
}

void TreeWalk::run() {
  base::Fd root;
  FileState state;
  int result = duplicate(root_, root);
  if (result == 0) result = state_of(root.get(), state);
  if (result < 0) return visitor_.failed("", result);
  enter(std::move(root), {}, state);
  while (!levels_.empty() && !stopped_) {
    if (levels_.back().at < levels_.back().names.size()) {
      visit();
    } else {
      leave();
    }
  }
}

void TreeWalk::enter(base::Fd folder, std::string name, const FileState& state) {
  Level level{std::move(folder), state, std::move(name), {}, 0};
  const int result = list_names(level.folder.get(), level.names);
  levels_.push_back(std::move(level));
  if (result < 0) visitor_.failed(".", result);
  if (levels_.size() > kMostOpen) levels_[levels_.size() - kMostOpen - 1].folder.reset();
}

void TreeWalk::visit() {
  Level& level = levels_.back();
  const char* const name = level.names.c_str() + level.at;
  level.at += std::string_view(name).size() + 1;
  FileState state;
  if (const int code = state_below(level.folder.get(), name, state); code < 0) {
    return visitor_.failed(name, code);
  }
  const Place place{level.folder.get(), level.state.identity.inode, name};
  if (!visitor_.entry(place, state) || !S_ISDIR(state.mode)) return;
  base::Fd opened;
  FileState now;
  int result = open_subfolder(level.folder.get(), name, opened);
  if (result == 0) result = state_of(opened.get(), now);
  if (result == 0 && !same_file(now.identity, state.identity)) result = -ESTALE;
  if (result < 0) return visitor_.failed(name, result);
  enter(std::move(opened), name, now);
}

void TreeWalk::leave() {
  Level done = std::move(levels_.back());
  levels_.pop_back();
  if (levels_.empty()) return;
  if (!levels_.back().folder) {
    if (const int code = reopen_above(done.folder.get()); code < 0) {
      visitor_.failed("", code);
      return stop();
    }
  }
  const Level& above = levels_.back();
  visitor_.after_folder({above.folder.get(), above.state.identity.inode, done.name.c_str()},
                        done.state);
}

int TreeWalk::reopen_above(int folder) {
  Level& above = levels_.back();
  base::Fd opened;
  FileState state;
  int result = open_by_name(folder, "..", opened);
  if (result == 0) result = state_of(opened.get(), state);
  if (result < 0) return result;
  if (!same_file(state.identity, above.state.identity)) return -ESTALE;  // it was moved
  above.folder = std::move(opened);
  return 0;
}

std::string TreeWalk::path_of(const char* name) const {
  std::string path;
  for (const Level& level : levels_) {
    if (!level.name.empty()) path += level.name + '/';
  }
  if (*name == '\0' || std::string_view(name) == ".") {
    if (!path.empty()) path.pop_back();
    return path;
  }
  return path += name;
}

}  // namespace fathom::act

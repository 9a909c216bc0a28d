// Opening below a root: openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, or name by name.

#include "os/safe_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <cstddef>

#include "fathom/base/retry.h"
#include "fathom/base/statx.h"

namespace fathom::act {

namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// For a directory above: passing through it needs less permission than reading it.
#ifdef O_PATH
constexpr int kPassFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int kPassFlags = kFolderFlags;
#endif

std::string_view first_name(std::string_view path) {
  return path.substr(0, path.find('/'));
}

int open_at(int at, const std::string& name, int flags, base::Fd& file) {
  const int result = base::retry_errno([&] { return ::openat(at, name.c_str(), flags); });
  if (result < 0) return result;
  file.reset(result);
  return 0;
}

// -ENOSYS: not supported, so the path has to be opened name by name.
int open_in_one_call([[maybe_unused]] int root, [[maybe_unused]] const std::string& path,
                     [[maybe_unused]] base::Fd& folder) {
#ifdef SYS_openat2
  struct open_how how = {};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const int result = base::retry_errno([&] {
    return static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
  });
  if (result >= 0) {
    folder.reset(result);
    return 0;
  }
  switch (-result) {
    case EPERM:         // an old seccomp filter
    case EINVAL:        // a kernel that knows fewer flags
    case E2BIG:         //
    case EAGAIN:        // a directory above it is being moved
    case ENAMETOOLONG:  // longer than one call accepts
      return -ENOSYS;
    default:
      return result;
  }
#else
  return -ENOSYS;
#endif
}

}  // namespace

int open_root(const std::string& path, base::Fd& root) {
  return open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, root);
}

int open_real_root(const std::string& path, base::Fd& root) {
  if (!is_plain_root(path)) return -EINVAL;
  base::Fd top;
  const int result = open_root("/", top);
  return result < 0 ? result : open_folder(top.get(), std::string_view(path).substr(1), root);
}

bool is_plain_path(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return false;
  for (;;) {
    const std::string_view name = first_name(path);
    if (name.empty() || name == "." || name == "..") return false;
    if (name.size() == path.size()) return true;
    path.remove_prefix(name.size() + 1);
  }
}

bool is_plain_root(std::string_view path) {
  return path.starts_with('/') && (path.size() == 1 || is_plain_path(path.substr(1)));
}

int open_folder_stepwise(int root, std::string_view path, base::Fd& folder) {
  base::Fd at;
  int result = open_at(root, ".", path.empty() ? kFolderFlags : kPassFlags, at);
  while (result == 0 && !path.empty()) {
    const std::string_view name = first_name(path);
    const bool is_last = name.size() == path.size();
    base::Fd next;
    result = open_at(at.get(), std::string(name), is_last ? kFolderFlags : kPassFlags, next);
    at = std::move(next);
    path.remove_prefix(is_last ? name.size() : name.size() + 1);
  }
  if (result < 0) return result;
  folder = std::move(at);
  return 0;
}

int open_folder(int root, std::string_view path, base::Fd& folder) {
  if (!path.empty()) {
    if (!is_plain_path(path)) return -EINVAL;
    const int result = open_in_one_call(root, std::string(path), folder);
    if (result != -ENOSYS) return result;
  }
  return open_folder_stepwise(root, path, folder);
}

int find_location(int root, std::string_view path, Location& location) {
  if (!is_plain_path(path)) return -EINVAL;
  const std::size_t slash = path.rfind('/');
  const bool is_deep = slash != std::string_view::npos;
  location.name = is_deep ? path.substr(slash + 1) : path;
  return open_folder(root, is_deep ? path.substr(0, slash) : std::string_view(), location.folder);
}

int duplicate(int file, base::Fd& copy) {
  const int result = base::retry_errno([&] { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); });
  if (result < 0) return result;
  copy.reset(result);
  return 0;
}

int beside(const Location& location, std::string name, Location& other) {
  if (const int result = duplicate(location.folder.get(), other.folder); result < 0) return result;
  other.name = std::move(name);
  return 0;
}

int may_change_folder(int folder, uid_t owner) {
#ifdef STATX_ATTR_APPEND
  struct statx seen = {};
  if (::statx(folder, "", AT_EMPTY_PATH, STATX_TYPE, &seen) == 0 &&
      (seen.stx_attributes & STATX_ATTR_APPEND) != 0) {
    return -EPERM;  // chattr +a: names can be added, but not removed
  }
#endif
  struct stat status = {};
  if (::fstat(folder, &status) != 0) return -errno;
  const uid_t user = ::geteuid();
  const bool is_sticky = (status.st_mode & S_ISVTX) != 0;
  if (is_sticky && user != 0 && user != owner && user != status.st_uid) return -EPERM;
  return may_write_to(folder);
}

int may_write_to(int folder) {
  return base::retry_errno([&] { return ::faccessat(folder, ".", W_OK | X_OK, AT_EACCESS); });
}

// Checked before it is opened, because opening a device or a pipe may have side effects. A file
// that is put there in between is opened without blocking, and detected when identities are
// compared.
int open_regular(const Location& location, base::Fd& file) {
  struct stat seen = {};
  const int result = base::retry_errno([&] {
    return ::fstatat(location.folder.get(), location.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW);
  });
  if (result < 0) return result;
  if (!S_ISREG(seen.st_mode)) return S_ISLNK(seen.st_mode) ? -ELOOP : -EINVAL;
  return open_at(location.folder.get(), location.name,
                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, file);
}

}  // namespace fathom::act

#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fathom/base/error.h"
#include "interrupt.h"
#include "message.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

constexpr mode_t kNewFile = 0666;  // less the umask
constexpr mode_t kPermissions = 07777;

[[noreturn]] void fail(const std::string& name, int code) {
  throw base::SystemError("cannot write to " + name, code);
}

// The descriptor that a path stands for. To open such a path is not the same: that would begin at
// the start of a file of which a shell has opened the end.
std::optional<int> descriptor_named(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = 0;
    const auto [end, code] = std::from_chars(digits.begin(), digits.end(), number);
    if (code == std::errc() && end == digits.end()) return number;
  }
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// Where a chain of symbolic links leads, be there a file or not.
std::string link_target(std::string path) {
  constexpr int kMostLinks = 40;  // as for the kernel
  for (int links = 0; links < kMostLinks; ++links) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length <= 0) break;
    const std::string folder = target[0] == '/' ? "" : folder_of(path);
    path = folder + std::string(target, static_cast<std::size_t>(length));
  }
  return path;
}

// The same file without symbolic links on the way; where there is none, the one to make.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return link_target(path);
  std::string result = real;
  std::free(real);
  return result;
}

// The folder does not let the file be replaced, which says nothing about the file itself: it is a
// mount point, or another user's in a sticky folder.
bool refuses_replacing(int code) {
  return code == EBUSY || code == EPERM || code == EACCES || code == EROFS;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// A new, empty file in the folder of the path. It is gone with the object, or with the process if a
// signal ends it, unless it has replaced another.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) {
    const std::string folder = folder_of(beside);
    for (unsigned attempt = 0; descriptor_ < 0; ++attempt) {
      path_ = folder + ".fathom-" + std::to_string(::getpid()) + '-' + std::to_string(attempt);
      if (code_ = create(); code_ != 0 && code_ != EEXIST) return;
    }
  }
  ~Temporary() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  [[nodiscard]] int code() const { return code_; }  // errno of creating it, or 0

  // As far as the user may: the owner is root's to give.
  void take_permissions(const struct stat& from) const {
    [[maybe_unused]] const int ignored = ::fchown(descriptor_, from.st_uid, from.st_gid);
    ::fchmod(descriptor_, from.st_mode & kPermissions);
  }

  // Each returns an errno, or 0.
  [[nodiscard]] int write(std::string_view text) const { return write_fully(descriptor_, text); }
  [[nodiscard]] int replace(const std::string& target) {
    // Network filesystems tell only now that there was no room.
    if (::close(std::exchange(descriptor_, -1)) != 0 ||
        ::rename(path_.c_str(), target.c_str()) != 0) {
      const int code = errno;
      ::unlink(path_.c_str());
      return code;
    }
    return 0;
  }

 private:
  int create() {
    const SignalsBlocked blocked;  // only what was created here may be removed
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
    if (descriptor_ < 0) return errno;
    removed_.emplace(path_);
    return 0;
  }

  std::string path_;
  std::optional<RemovedOnSignal> removed_;
  int descriptor_ = -1;
  int code_ = 0;
};

}  // namespace

Output::Output(const std::optional<std::string>& path) {
  descriptor_ = path ? descriptor_named(*path).value_or(-1) : STDOUT_FILENO;
  if (descriptor_ == STDOUT_FILENO) {
    name_ = "standard output";
    return;
  }
  name_ = escaped(*path);
  if (descriptor_ >= 0) {
    const int flags = ::fcntl(descriptor_, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail(name_, EBADF);
    return;
  }
  const std::string real = resolved(*path);
  struct stat there {};
  struct stat target {};
  const bool exists = ::stat(path->c_str(), &there) == 0;
  if (!exists && errno != ENOENT) fail(name_, errno);
  const bool found = exists && ::stat(real.c_str(), &target) == 0 && is_same_file(there, target);
  if (exists && (!found || !S_ISREG(target.st_mode))) {
    open_directly(*path);
    return;
  }
  if (exists && ::access(real.c_str(), W_OK) != 0) fail(name_, errno);
  if (path->ends_with('/') || real.ends_with('/')) fail(name_, EISDIR);

  // Tried and taken back at once, so that the scan does not find it.
  const Temporary probe(real);
  if (probe.code() == 0) {
    path_ = real;
  } else if (exists && (probe.code() == EACCES || probe.code() == EROFS)) {
    open_directly(*path);
  } else {
    fail(name_, probe.code());
  }
}

Output::~Output() {
  if (owned_) ::close(descriptor_);
}

void Output::open_directly(const std::string& path) {
  // Not truncated yet: the old contents stay until there are new ones.
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) fail(name_, errno);
  owned_ = true;
}

void Output::write(std::string_view text) {
  if (path_.empty()) {
    write_directly(text);
  } else {
    replace(text);
  }
}

void Output::write_directly(std::string_view text) {
  struct stat status {};
  if (owned_ && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) &&
      ::ftruncate(descriptor_, 0) != 0) {
    fail(name_, errno);
  }
  const int code = write_fully(descriptor_, text);
  if (code != 0 && code != EPIPE) fail(name_, code);
}

void Output::replace(std::string_view text) {
  Temporary temporary(path_);
  int code = temporary.code();
  if (code == 0) {
    struct stat old {};
    if (::stat(path_.c_str(), &old) == 0) temporary.take_permissions(old);
    if (const int failed = temporary.write(text); failed != 0) fail(name_, failed);
    code = temporary.replace(path_);
  }
  if (code == 0) return;
  if (!refuses_replacing(code) || ::access(path_.c_str(), W_OK) != 0) fail(name_, code);
  open_directly(path_);
  write_directly(text);
}

}  // namespace fathom::cli

#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

// The same file without symbolic links on the way; the path itself where there is no such file.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// A new, empty file in the folder of the path. It is gone with the object, or with the process if a
// signal ends it, unless it has replaced another.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) {
    const std::size_t slash = beside.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : beside.substr(0, slash + 1);
    for (unsigned attempt = 0; descriptor_ < 0; ++attempt) {
      path_ = folder + ".fathom-" + std::to_string(::getpid()) + '-' + std::to_string(attempt);
      removed_.emplace(path_);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
      if (descriptor_ < 0 && errno != EEXIST) {
        code_ = errno;
        return;
      }
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
  std::string path_;
  std::optional<RemovedOnSignal> removed_;
  int descriptor_ = -1;
  int code_ = 0;
};

}  // namespace

Output::Output(const std::optional<std::string>& path) {
  if (!path || is_standard_output(*path)) {
    name_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  name_ = escaped(*path);
  const std::string real = resolved(*path);
  struct stat there {};
  struct stat target {};
  const bool exists = ::stat(path->c_str(), &there) == 0;
  const bool dangling = !exists && ::lstat(path->c_str(), &target) == 0;
  const bool found = exists && ::stat(real.c_str(), &target) == 0 && is_same_file(there, target);
  if (dangling || (exists && (!found || !S_ISREG(target.st_mode)))) {
    open_directly(*path);
    return;
  }
  if (exists && ::access(real.c_str(), W_OK) != 0) fail(name_, errno);
  if (path->ends_with('/')) fail(name_, EISDIR);

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
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, kNewFile);
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
  if (temporary.code() != 0) fail(name_, temporary.code());
  struct stat old {};
  if (::stat(path_.c_str(), &old) == 0) temporary.take_permissions(old);
  if (const int code = temporary.write(text); code != 0) fail(name_, code);
  if (const int code = temporary.replace(path_); code != 0) fail(name_, code);
}

}  // namespace fathom::cli

// Output: resolving the path, and replacing a file by writing a temporary file and renaming it.

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
#include "message.h"
#include "temporary_file.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

[[noreturn]] void fail(const std::string& name, int code) {
  throw base::SystemError("cannot write to " + name, code);
}

// The descriptor that a path names. Opening such a path is not the same: it would write at offset 0
// of a file that the shell has opened for appending.
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

// The end of a chain of symbolic links, whether or not it exists.
std::string link_target(std::string path) {
  constexpr int kMostLinks = 40;  // the limit of the kernel
  for (int links = 0; links < kMostLinks; ++links) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length <= 0) break;
    const std::string folder = target[0] == '/' ? "" : folder_of(path);
    path = folder + std::string(target, static_cast<std::size_t>(length));
  }
  return path;
}

// The path without symbolic links. If the file does not exist, the path at which to create it.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return link_target(path);
  std::string result = real;
  std::free(real);
  return result;
}

// Whether the directory does not allow replacing the file, which may still be writable: it is a
// mount point, or belongs to another user in a sticky directory.
bool refuses_replacing(int code) {
  return code == EBUSY || code == EPERM || code == EACCES || code == EROFS;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

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

  // Created and removed again immediately, so that the scan does not find it.
  const TemporaryFile probe(real, TemporaryFile::Access::own);
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
  // Does not truncate: the old contents stay until new ones are written.
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) fail(name_, errno);
  owned_ = true;
}

bool Output::write(std::string_view block) {
  if (closed_) return false;
  if (!begun_) begin();
  const int code = temporary_ ? temporary_->write(block) : write_fully(descriptor_, block);
  closed_ = code == EPIPE;
  if (code != 0 && !closed_) fail(name_, code);
  return !closed_;
}

void Output::finish() {
  if (!begun_) begin();
  if (temporary_) replace();
  // After the reader has closed the pipe, or if the descriptor cannot be duplicated, no late error
  // can be checked.
  const bool directly = descriptor_ >= 0 && !closed_;
  const int code = directly ? late_error(descriptor_) : 0;
  if (code != 0 && code != EMFILE && code != EINTR) fail(name_, code);
}

// Called only when the scan is done, because the scan should not find its own output.
void Output::begin() {
  begun_ = true;
  if (path_.empty()) {
    begin_directly();
    return;
  }
  struct stat old {};
  const bool replaces = ::stat(path_.c_str(), &old) == 0;
  // The contents of a private file must not become readable to others, even for a moment.
  const auto access = replaces ? TemporaryFile::Access::own : TemporaryFile::Access::as_any_new;
  temporary_ = std::make_unique<TemporaryFile>(path_, access);
  if (const int code = temporary_->code(); code != 0) {
    temporary_.reset();
    if (!refuses_replacing(code) || ::access(path_.c_str(), W_OK) != 0) fail(name_, code);
    open_directly(path_);
    begin_directly();
    return;
  }
  if (replaces) temporary_->take_permissions(old);
}

void Output::begin_directly() {
  struct stat status {};
  if (owned_ && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) &&
      ::ftruncate(descriptor_, 0) != 0) {
    fail(name_, errno);
  }
}

void Output::replace() {
  const std::unique_ptr<TemporaryFile> whole = std::move(temporary_);
  const int code = whole->replace(path_);
  if (code == 0) return;
  if (!refuses_replacing(code) || ::access(path_.c_str(), W_OK) != 0) fail(name_, code);
  open_directly(path_);
  begin_directly();
  if (const int failed = whole->copy_to(descriptor_); failed != 0) fail(name_, failed);
}

}  // namespace fathom::cli

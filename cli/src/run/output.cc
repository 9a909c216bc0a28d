// Output: resolving the path, and replacing a file by writing a temporary file and renaming it.

#include "run/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "fathom/base/path.h"
#include "fathom/base/planted.h"
#include "run/interrupt.h"
#include "run/named_file.h"
#include "run/path.h"
#include "run/temporary_file.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

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

// May wait for a reader.
int write_directly(int descriptor, std::string_view block) {
  const EndsAtOnce while_writing;
  return write_fully(descriptor, block);
}

// Whether the directory does not allow replacing the file, which may still be writable: it is a
// mount point, or belongs to another user in a sticky directory.
bool refuses_replacing(int code) {
  return code == EBUSY || code == EPERM || code == EACCES || code == EROFS;
}

}  // namespace

Output::Output(const std::optional<std::string>& path, Existing existing) : existing_(existing) {
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
  const std::string real = place_of(*path);
  struct stat there {};
  const bool exists = ::lstat(real.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) fail(name_, errno);
  if (exists && existing_ == Existing::keep && S_ISREG(there.st_mode)) fail(name_, EEXIST);
  if (exists && !S_ISREG(there.st_mode)) {
    opened(open_any(real, O_WRONLY | (base::is_in_proc(real) ? 0 : O_NOFOLLOW)), real);
    return;
  }
  if (exists && ::access(real.c_str(), W_OK) != 0) fail(name_, errno);
  if (path->ends_with('/') || real.ends_with('/')) fail(name_, EISDIR);

  // Created and removed again immediately, so that the scan does not find it.
  const TemporaryFile probe(real, TemporaryFile::Access::own);
  if (probe.code() == 0) {
    path_ = real;
  } else if (exists && (probe.code() == EACCES || probe.code() == EROFS)) {
    open_directly(real);
  } else {
    fail(name_, probe.code());
  }
}

Output::~Output() = default;

// The path without symbolic links at which the file is, or is to be created. What the kernel would
// refuse to follow or to open for `>`, with its usual settings, is refused here with any.
std::string Output::place_of(const std::string& path) const {
  const std::optional<std::string> end = base::trusted_link_target(path);
  if (!end) fail_planted();
  const std::string folder = base::folder_of(*end);
  const auto real = base::real_path(folder.empty() ? "." : folder);
  return real ? base::joined_path(*real, end->substr(folder.size())) : *end;
}

void Output::fail_planted() const {
  fail(name_ + ", where another user has put a file or link into a directory of all users", EACCES);
}

// A regular file that cannot be replaced. Does not truncate it: the old contents stay until new
// ones are written.
void Output::open_directly(const std::string& path) {
  opened(open_regular_file(path, O_WRONLY | O_NOFOLLOW), path);
}

// Checks again what was opened, which another user may have put there a moment ago.
void Output::opened(base::Fd file, const std::string& path) {
  if (!file) {
    fail(errno == ENODEV ? name_ + ", which is not a regular file any more" : name_, errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && base::is_planted(path, status)) fail_planted();
  opened_ = std::move(file);
  descriptor_ = opened_.get();
}

bool Output::write(std::string_view block) {
  if (closed_ || failure_) return false;
  try {
    if (!begun_) begin();
    const int code = temporary_ ? temporary_->write(block) : write_directly(descriptor_, block);
    closed_ = code == EPIPE;
    if (code != 0 && !closed_) fail(name_, code);
  } catch (const base::SystemError& error) {
    failure_ = error;
  }
  return !closed_ && !failure_;
}

void Output::finish() {
  if (failure_) throw base::SystemError(*failure_);
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
  const bool keeps = existing_ == Existing::keep;
  const bool replaces = !keeps && ::lstat(path_.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  if (base::is_planted(path_)) fail_planted();
  // The contents of a private file must not become readable to others, even for a moment.
  const auto access = replaces ? TemporaryFile::Access::own : TemporaryFile::Access::as_any_new;
  temporary_ = std::make_unique<TemporaryFile>(path_, access);
  if (const int code = temporary_->code(); code != 0) {
    temporary_.reset();
    if (keeps || !refuses_replacing(code) || ::access(path_.c_str(), W_OK) != 0) fail(name_, code);
    open_directly(path_);
    begin_directly();
    return;
  }
  if (replaces) temporary_->take_permissions(old);
}

void Output::begin_directly() {
  struct stat status {};
  if (opened_ && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) &&
      ::ftruncate(descriptor_, 0) != 0) {
    fail(name_, errno);
  }
}

void Output::replace() {
  const std::unique_ptr<TemporaryFile> whole = std::move(temporary_);
  const bool keeps = existing_ == Existing::keep;
  const int code = keeps ? whole->take_name(path_) : whole->replace(path_);
  if (code == 0) return;
  if (keeps || !refuses_replacing(code) || ::access(path_.c_str(), W_OK) != 0) fail(name_, code);
  open_directly(path_);
  begin_directly();
  if (const int failed = whole->copy_to(descriptor_); failed != 0) fail(name_, failed);
}

void open_missing_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) ::_exit(kWrongUsage);
  }
}

int print(std::string_view text) {
  Output output(std::nullopt);
  output.write(text);
  output.finish();
  return kComplete;
}

bool print(std::string_view text, const Interrupt& interrupt) {
  while (!text.empty()) {
    if (!interrupt.wait_to_write(STDOUT_FILENO)) return false;
    std::string_view some = text.substr(0, PIPE_BUF);
    const std::size_t before = some.size();
    const int error = write_once(STDOUT_FILENO, some);
    text.remove_prefix(before - some.size());
    if (error == 0 || error == EAGAIN) continue;
    if (error == EPIPE) return true;
    // A terminal that closes sends a signal, and takes nothing any more.
    if (interrupt.signal() != 0) return false;
    fail("standard output", error);
  }
  return true;
}

Output open_output(const CommonRequest& request) {
  try {
    return Output(request.output);
  } catch (const base::SystemError& error) {
    throw UsageError(error.what());
  }
}

void require_other_output(const CommonRequest& request, const std::string& file,
                          std::string_view kind) {
  const auto require = [&](std::string_view option, const std::optional<std::string>& output) {
    if (!output || !is_same_path(*output, file)) return;
    throw UsageError("option '--" + std::string(option) + "' names the " + std::string(kind) +
                     "; name another file");
  };
  require("output", request.output);
  require("trace", request.trace);
}

}  // namespace fathom::cli

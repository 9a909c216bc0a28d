// TemporaryFile: creation under a unique name, rename, and removal.

#include "run/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "fathom/base/path.h"
#include "fathom/base/retry.h"
#include "fathom/rt/signals_blocked.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

constexpr mode_t kNewFile = 0666;  // less the umask
constexpr mode_t kOwnFile = 0600;
constexpr mode_t kPermissions = 07777;
constexpr std::size_t kBlock = 64UL * 1024;

}  // namespace

int late_error(int descriptor) {
  base::Fd second(::dup(descriptor));
  return second ? second.close() : errno;
}

TemporaryFile::TemporaryFile(const std::string& beside, Access access) {
  const std::string folder = base::folder_of(beside);
  for (unsigned attempt = 0; !file_; ++attempt) {
    path_ = folder + ".fathom-" + std::to_string(::getpid()) + '-' + std::to_string(attempt);
    if (code_ = create(access); code_ != 0 && code_ != EEXIST) return;
  }
}

TemporaryFile::~TemporaryFile() {
  if (file_ && !replaced_) ::unlink(path_.c_str());
}

void TemporaryFile::take_permissions(const struct stat& from) const {
  mode_t mode = from.st_mode & kPermissions;
  if (::fchown(file_.get(), from.st_uid, from.st_gid) != 0) {
    mode &= ~(S_ISUID | S_ISGID);
    // The bits of the group are for the members of the old one only.
    if (::fchown(file_.get(), static_cast<uid_t>(-1), from.st_gid) != 0) mode &= ~S_IRWXG;
  }
  ::fchmod(file_.get(), mode);
}

int TemporaryFile::write(std::string_view text) const {
  return write_fully(file_.get(), text);
}

int TemporaryFile::replace(const std::string& target) {
  if (const int code = late_error(file_.get()); code != 0) return code;
  if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
  replaced_ = true;
  return 0;
}

// The destructor removes the other name.
int TemporaryFile::take_name(const std::string& target) const {
  if (const int code = late_error(file_.get()); code != 0) return code;
  if (::link(path_.c_str(), target.c_str()) == 0) return 0;
  // A filesystem without hard links.
  const bool cannot_link = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
  return cannot_link ? copy_to_new(target) : errno;
}

int TemporaryFile::copy_to_new(const std::string& target) const {
  const rt::SignalsBlocked blocked;  // a signal leaves no partial file behind
  const base::Fd file(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile));
  if (!file) return errno;
  int code = copy_to(file.get());
  if (code == 0) code = late_error(file.get());
  if (code != 0) ::unlink(target.c_str());
  return code;
}

int TemporaryFile::copy_to(int descriptor) const {
  std::vector<char> block(kBlock);
  for (off_t at = 0;;) {
    const ssize_t length =
        base::retry([&] { return ::pread(file_.get(), block.data(), block.size(), at); });
    if (length < 0) return errno;
    if (length == 0) return 0;
    at += length;
    const int code = write_fully(descriptor, {block.data(), static_cast<std::size_t>(length)});
    if (code != 0) return code;
  }
}

int TemporaryFile::create(Access access) {
  const rt::SignalsBlocked blocked;  // so that a signal removes only a file that this created
  const mode_t mode = access == Access::own ? kOwnFile : kNewFile;
  file_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file_) return errno;
  removed_.emplace(path_);
  return 0;
}

}  // namespace fathom::cli

// TemporaryFile: creation under a unique name, rename, and removal.

#include "temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "fathom/rt/signals_blocked.h"
#include "message.h"

namespace fathom::cli {

namespace {

constexpr mode_t kNewFile = 0666;  // less the umask
constexpr mode_t kOwnFile = 0600;
constexpr mode_t kPermissions = 07777;
constexpr std::size_t kBlock = 64UL * 1024;

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

int late_error(int descriptor) {
  const int second = ::dup(descriptor);
  return second < 0 || ::close(second) != 0 ? errno : 0;
}

TemporaryFile::TemporaryFile(const std::string& beside, Access access) {
  const std::string folder = folder_of(beside);
  for (unsigned attempt = 0; descriptor_ < 0; ++attempt) {
    path_ = folder + ".fathom-" + std::to_string(::getpid()) + '-' + std::to_string(attempt);
    if (code_ = create(access); code_ != 0 && code_ != EEXIST) return;
  }
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!replaced_) ::unlink(path_.c_str());
}

void TemporaryFile::take_permissions(const struct stat& from) const {
  [[maybe_unused]] const int ignored = ::fchown(descriptor_, from.st_uid, from.st_gid);
  ::fchmod(descriptor_, from.st_mode & kPermissions);
}

int TemporaryFile::write(std::string_view text) const {
  return write_fully(descriptor_, text);
}

int TemporaryFile::replace(const std::string& target) {
  if (const int code = late_error(descriptor_); code != 0) return code;
  if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
  replaced_ = true;
  return 0;
}

int TemporaryFile::copy_to(int descriptor) const {
  std::vector<char> block(kBlock);
  for (off_t at = 0;;) {
    const ssize_t length = ::pread(descriptor_, block.data(), block.size(), at);
    if (length < 0 && errno == EINTR) continue;
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
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor_ < 0) return errno;
  removed_.emplace(path_);
  return 0;
}

}  // namespace fathom::cli

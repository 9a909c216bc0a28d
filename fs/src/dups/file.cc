// File: system calls for reading a candidate.

#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "fathom/base/atomic.h"
#include "os_common.h"

namespace fathom::fs {

namespace {

#ifdef O_NOATIME
constexpr int kNoAtime = O_NOATIME;
#else
constexpr int kNoAtime = 0;
#endif

// As for directories, only the owner may suppress the update of the access time, and the first
// refusal ends the attempts.
base::atomic<bool> may_skip_atime{true};

int open_at(int at, const char* path) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  if (may_skip_atime.load(base::memory_order_relaxed)) {
    const int file = os::retry([&] { return ::openat(at, path, kFlags | kNoAtime); });
    if (file != -EPERM) return file;
    may_skip_atime.store(false, base::memory_order_relaxed);
  }
  return os::retry([&] { return ::openat(at, path, kFlags); });
}

// Opens a path that is too long for one call, in pieces.
int open_long(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int at = AT_FDCWD;
  std::size_t begin = 0;
  while (at >= 0 || at == AT_FDCWD) {
    const bool last = path.size() - begin < PATH_MAX;
    // A piece ends at the last slash within the limit.
    const std::size_t end = last ? path.size() : path.rfind('/', begin + PATH_MAX - 1);
    if (!last && (end == std::string::npos || end <= begin)) {
      if (at >= 0) ::close(at);
      return -ENAMETOOLONG;
    }
    const std::string piece = path.substr(begin, end - begin);
    const int next = last ? open_at(at, piece.c_str())
                          : os::retry([&] { return ::openat(at, piece.c_str(), kFlags); });
    if (at >= 0) ::close(at);
    if (last) return next;
    at = next;
    begin = end + 1;
  }
  return at;
}

std::int64_t nanoseconds_of(const timespec& time) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  return std::int64_t{time.tv_sec} * kBillion + time.tv_nsec;
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int File::open(const std::string& path) {
  descriptor_ = path.size() < PATH_MAX ? open_at(AT_FDCWD, path.c_str()) : open_long(path);
  return std::min(descriptor_, 0);
}

int File::identify(FileIdentity& identity) const {
  struct stat now;  // filled by the kernel
  const int result = os::retry([&] { return ::fstat(descriptor_, &now); });
  if (result < 0) return result;
  if (!S_ISREG(now.st_mode)) return -EINVAL;
  identity = {now.st_dev, now.st_ino, static_cast<std::uint64_t>(now.st_size),
              nanoseconds_of(now.st_mtim), nanoseconds_of(now.st_ctim)};
  return 0;
}

std::ptrdiff_t File::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    // The kernel reads at most 2 GiB per call; this fits in an int.
    const std::size_t most = std::min<std::size_t>(into.size() - done, std::size_t{1} << 30);
    const int got = os::retry([&] {
      return static_cast<int>(
          ::pread(descriptor_, into.data() + done, most, static_cast<off_t>(offset + done)));
    });
    if (got < 0) return got;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::ptrdiff_t>(done);
}

void File::drop_cached() const {
  static_cast<void>(::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED));
}

}  // namespace fathom::fs

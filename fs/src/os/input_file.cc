// File: system calls for reading a candidate.

#include "os/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/retry.h"

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
    const int file = base::retry_errno([&] { return ::openat(at, path, kFlags | kNoAtime); });
    if (file != -EPERM) return file;
    may_skip_atime.store(false, base::memory_order_relaxed);
  }
  return base::retry_errno([&] { return ::openat(at, path, kFlags); });
}

// Opens a path that is too long for one call, in pieces.
int open_long(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  base::Fd folder;
  const auto at = [&folder] { return folder ? folder.get() : AT_FDCWD; };
  std::size_t begin = 0;
  while (path.size() - begin >= PATH_MAX) {
    // A piece ends at the last slash within the limit.
    const std::size_t end = path.rfind('/', begin + PATH_MAX - 1);
    if (end == std::string::npos || end <= begin) return -ENAMETOOLONG;
    const std::string piece = path.substr(begin, end - begin);
    const int next = base::retry_errno([&] { return ::openat(at(), piece.c_str(), kFlags); });
    if (next < 0) return next;
    folder.reset(next);
    begin = end + 1;
  }
  return open_at(at(), path.c_str() + begin);
}

std::int64_t nanoseconds_of(const timespec& time) {
  return base::to_nanoseconds(time.tv_sec, time.tv_nsec);
}

}  // namespace

int File::open(const std::string& path) {
  const int result = path.size() < PATH_MAX ? open_at(AT_FDCWD, path.c_str()) : open_long(path);
  file_.reset(result);
  return std::min(result, 0);
}

int File::identify(FileIdentity& identity) const {
  struct stat now;  // filled by the kernel
  const int result = base::retry_errno([&] { return ::fstat(file_.get(), &now); });
  if (result < 0) return result;
  if (!S_ISREG(now.st_mode)) return -EINVAL;
  identity = {now.st_dev, now.st_ino, static_cast<std::uint64_t>(now.st_size),
              nanoseconds_of(now.st_mtim), nanoseconds_of(now.st_ctim)};
  return 0;
}

std::ptrdiff_t File::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = base::retry_errno([&] {
      return ::pread(file_.get(), into.data() + done, into.size() - done,
                     static_cast<off_t>(offset + done));
    });
    if (got < 0) return got;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::ptrdiff_t>(done);
}

std::uint64_t File::data_from(std::uint64_t offset) const {
#ifdef SEEK_DATA
  const off_t data = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
  if (data >= 0) return static_cast<std::uint64_t>(data);
  if (errno != ENXIO) return offset;
  const off_t end = ::lseek(file_.get(), 0, SEEK_END);
  return std::max(offset, static_cast<std::uint64_t>(std::max<off_t>(end, 0)));
#else
  return offset;
#endif
}

void File::drop_cached() const {
  static_cast<void>(::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED));
}

}  // namespace fathom::fs

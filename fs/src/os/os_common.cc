// System calls that both backends of os.h share.

#include "os/os_common.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>
#include <string_view>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "os/os.h"

namespace fathom::fs::os {

namespace {

// The command raises its limit to so many. A process without a limit need not use more.
constexpr rlim_t kMostDescriptors = 65'536;
// Few enough to test each one. The system gives out the lowest numbers first.
constexpr std::size_t kMostTested = 4096;

void convert(const struct stat& from, Entry& to) {
  to.size = static_cast<std::uint64_t>(std::max<off_t>(from.st_size, 0));
  to.blocks = static_cast<std::uint64_t>(from.st_blocks);
  to.inode = from.st_ino;
  to.device = from.st_dev;
  to.mtime = from.st_mtime;
  to.uid = from.st_uid;
  to.gid = from.st_gid;
  to.links = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(from.st_nlink, std::numeric_limits<std::uint32_t>::max()));
  to.mode = static_cast<std::uint16_t>(from.st_mode);
  to.times = {.mtime = nanoseconds_if_known(from.st_mtim.tv_sec, from.st_mtim.tv_nsec),
              .ctime = nanoseconds_if_known(from.st_ctim.tv_sec, from.st_ctim.tv_nsec)};
}

}  // namespace

int fstatat_entry(int at, const char* name, int flags, Entry& entry) {
  struct stat buffer;  // filled by the kernel
  const int result = base::retry_errno([&] { return ::fstatat(at, name, &buffer, flags); });
  if (result == 0) convert(buffer, entry);
  return result;
}

int fstat_entry(int descriptor, Entry& entry) {
  struct stat buffer;  // filled by the kernel
  const int result = base::retry_errno([&] { return ::fstat(descriptor, &buffer); });
  if (result == 0) convert(buffer, entry);
  return result;
}

// Neither lstat's size (0 in /proc) nor PATH_MAX gives the length of a target, and it may grow
// between two calls: the target is complete if the buffer had room for more.
int read_link(int at, const char* name, std::string& target) {
  constexpr std::size_t kUsual = 256;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (target.resize(std::max(target.capacity(), kUsual));; target.resize(2 * target.size())) {
    const ssize_t length =
        base::retry_errno([&] { return ::readlinkat(at, name, target.data(), target.size()); });
    if (length < 0) return static_cast<int>(length);
    if (static_cast<std::size_t>(length) < target.size()) {
      target.resize(static_cast<std::size_t>(length));
      return 0;
    }
    if (target.size() >= kMost) return -ENAMETOOLONG;
  }
}

int open_cache_tag(int directory) {
  return base::retry_errno([&] {
    return ::openat(directory, "CACHEDIR.TAG", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  });
}

bool is_cache_tag(int opened) {
  const base::Fd tag(opened);
  constexpr std::string_view kSignature = "Signature: 8a477f597d28d172789f06886806bc55";
  std::array<char, kSignature.size()> begin{};
  const ssize_t length =
      base::retry([&] { return ::pread(tag.get(), begin.data(), begin.size(), 0); });
  return length == static_cast<ssize_t>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kSignature;
}

std::size_t descriptor_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return std::min<rlim_t>(limit.rlim_cur, kMostDescriptors);
}

std::size_t usable_descriptors() {
  constexpr std::size_t kOthers = 8;  // for the rest of the process
  const std::size_t free = free_descriptors();
  return free > 2 * kOthers ? free - kOthers : free / 2;
}

std::size_t open_descriptors() {
  std::size_t open = 0;
  const auto limit = static_cast<int>(std::min(descriptor_limit(), kMostTested));
  for (int descriptor = 0; descriptor < limit; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) ++open;
  }
  return open;
}

}  // namespace fathom::fs::os

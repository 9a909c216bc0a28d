#include "os_common.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "os.h"

namespace fathom::fs::os {

namespace {

// More than a scan can make use of, and few enough to look at each.
constexpr rlim_t kMostDescriptors = 4096;

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
}

}  // namespace

int fstatat_entry(int at, const char* name, int flags, Entry& entry) {
  struct stat buffer;  // filled by the kernel
  const int result = retry([&] { return ::fstatat(at, name, &buffer, flags); });
  if (result == 0) convert(buffer, entry);
  return result;
}

int fstat_entry(int descriptor, Entry& entry) {
  struct stat buffer;  // filled by the kernel
  const int result = retry([&] { return ::fstat(descriptor, &buffer); });
  if (result == 0) convert(buffer, entry);
  return result;
}

std::size_t descriptor_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return std::min<rlim_t>(limit.rlim_cur, kMostDescriptors);
}

std::size_t open_descriptors() {
  std::size_t open = 0;
  for (int descriptor = 0; descriptor < static_cast<int>(descriptor_limit()); ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) ++open;
  }
  return open;
}

double processor_seconds() {
  struct timespec used = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace fathom::fs::os

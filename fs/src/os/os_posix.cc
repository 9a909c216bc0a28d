// The portable backend of os.h: readdir and fstatat.

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/retry.h"
#include "os/os.h"
#include "os/os_common.h"

namespace fathom::fs::os {

namespace {

static_assert(kCurrentDirectory == AT_FDCWD);

// The directory streams by descriptor, because the walker has only descriptors. A stream exists
// from the first read_names() to close_directory().
class Streams {
 public:
  struct Stream {
    DIR* handle = nullptr;
    int error = 0;  // that ended the last block early; the next call returns it
  };

  // The descriptor remains usable for openat(); the stream owns it from now on. Null if out of
  // memory.
  Stream* of(int directory) {
    const std::lock_guard lock(mutex_);
    Stream& stream = streams_[directory];  // a stable address while others are added and removed
    if (stream.handle == nullptr) stream.handle = ::fdopendir(directory);
    return stream.handle == nullptr ? nullptr : &stream;
  }

  // Null if the descriptor was never listed.
  DIR* take(int directory) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.extract(directory);
    return found.empty() ? nullptr : found.mapped().handle;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<int, Stream> streams_;
};

Streams& streams() {
  static Streams all;
  return all;
}

std::uint8_t type_of(const dirent& entry) {
#ifdef DT_UNKNOWN
  return entry.d_type;
#else
  return 0;
#endif
}

}  // namespace

int open_directory(int at, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  return base::retry_errno([&] { return ::openat(at, name, kFlags); });
}

int open_for_lookups(int at, const char* name) {
  return open_directory(at, name);
}

void close_directory(int directory) {
  DIR* stream = streams().take(directory);
  if (stream != nullptr) {
    ::closedir(stream);
  } else {
    ::close(directory);
  }
}

int stat_at(int at, const char* name, Entry& entry, std::uint64_t* mount, Wanted /*wanted*/) {
  const int result = fstatat_entry(at, name, AT_SYMLINK_NOFOLLOW, entry);
  if (mount != nullptr) *mount = entry.device;
  return result;
}

int follow_at(int at, const char* name) {
  Entry unused;
  return fstatat_entry(at, name, 0, unused);
}

int stat_directory(int directory, Entry& entry, std::uint64_t* mount, Wanted /*wanted*/) {
  const int result = fstat_entry(directory, entry);
  if (mount != nullptr) *mount = entry.device;
  return result;
}

// POSIX has no call for this.
bool is_kernel_filesystem(int /*directory*/) {
  return false;
}

int read_names(int directory, NameBlock& block) {
  block.set_used(0);
  Streams::Stream* stream = streams().of(directory);
  if (stream == nullptr) return -errno;
  if (stream->error != 0) return -std::exchange(stream->error, 0);
  while (block.has_room()) {
    errno = 0;
    const dirent* entry = ::readdir(stream->handle);
    if (entry == nullptr && errno == EINTR) continue;
    if (entry == nullptr) {
      stream->error = errno;
      break;
    }
    block.add(entry->d_name, type_of(*entry), entry->d_ino);
  }
  return block.empty() ? -std::exchange(stream->error, 0) : 0;
}

// POSIX does not know clones.
std::vector<std::uint64_t> shared_extents(int /*file*/) {
  return {};
}
bool keeps_change_times(int /*directory*/) {
  return false;
}

bool may_share_extents(int /*file*/) {
  return false;
}

std::size_t free_descriptors() {
  return descriptor_limit() - open_descriptors();
}

double runnable_seconds() {
  return std::chrono::duration<double>(base::processor_time()).count();
}

}  // namespace fathom::fs::os

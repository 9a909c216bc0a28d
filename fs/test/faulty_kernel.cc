// Faults: the wrappers of the scanner's system calls.

#include "faulty_kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "fathom/base/atomic.h"

// NOLINTBEGIN: the linker requires these names
extern "C" {
int __real_openat(int at, const char* name, int flags, ...);
int __real_close(int descriptor);
int __real_statx(int at, const char* name, int flags, unsigned mask, struct statx* buffer);
int __real_fstatat(int at, const char* name, struct stat* buffer, int flags);
int __real_fstat(int descriptor, struct stat* buffer);
long __real_syscall(long number, ...);
ssize_t __real_readlinkat(int at, const char* name, char* buffer, std::size_t room);
ssize_t __real_pread(int descriptor, void* buffer, std::size_t room, off_t offset);
int __real_fstatfs(int descriptor, struct statfs* buffer);
}

namespace fathom::fs {

namespace {

struct State {
  Hooks hooks;
  base::atomic<std::uint64_t> opens{0};
  base::atomic<std::uint64_t> stats{0};
  base::atomic<std::uint64_t> lists{0};
  base::atomic<std::uint64_t> interrupted{0};
  std::mutex mutex;
  std::map<int, int> blocks;  // for each open directory, how often it was listed; guarded by mutex
};

// Set and cleared only while no scan runs; starting and joining its threads orders the accesses.
State* state = nullptr;

int refuse(int error) {
  errno = error;
  return -1;
}

// Whether a signal interrupts this call.
bool interrupts(State& now) {
  thread_local int passed = 0;
  if (now.hooks.interruptions == 0) return false;
  if (passed++ % (now.hooks.interruptions + 1) == now.hooks.interruptions) return false;
  now.interrupted.fetch_add(1, base::memory_order_relaxed);
  return true;
}

int stat_error(State& now, const char* name) {
  now.stats.fetch_add(1, base::memory_order_relaxed);
  if (interrupts(now)) return EINTR;
  return now.hooks.stat ? now.hooks.stat(name) : 0;
}

int list_error(State& now, int directory) {
  now.lists.fetch_add(1, base::memory_order_relaxed);
  if (interrupts(now)) return EINTR;
  struct stat buffer = {};
  if (__real_fstat(directory, &buffer) != 0) return errno;
  int block = 0;
  {
    const std::lock_guard lock(now.mutex);
    block = now.blocks[directory]++;
  }
  return now.hooks.list ? now.hooks.list(buffer.st_ino, block) : 0;
}

void record_other(State& now, std::string_view what) {
  if (now.hooks.other) now.hooks.other(what);
}

void forget_types(std::byte* names, long length) {
  struct Name {  // the kernel's memory layout
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t length;
    std::uint8_t type;
  };
  for (long at = 0; at < length;) {
    auto* name = reinterpret_cast<Name*>(names + at);
    name->type = DT_UNKNOWN;
    at += name->length;
  }
}

}  // namespace

Faults::Faults(Hooks hooks) {
  state = new State;
  state->hooks = std::move(hooks);
}

Faults::~Faults() {
  delete std::exchange(state, nullptr);
}

Calls Faults::calls() const {
  const std::lock_guard lock(state->mutex);
  return {.opens = state->opens.load(),
          .stats = state->stats.load(),
          .lists = state->lists.load(),
          .interrupted = state->interrupted.load(),
          .open_directories = static_cast<std::int64_t>(state->blocks.size())};
}

}  // namespace fathom::fs

extern "C" {

int __wrap_openat(int at, const char* name, int flags, ...) {
  using namespace fathom::fs;
  State* const now = state;
  if (now == nullptr) return __real_openat(at, name, flags);
  if ((flags & O_DIRECTORY) == 0) {
    record_other(*now, name);
    return __real_openat(at, name, flags);
  }
  now->opens.fetch_add(1, fathom::base::memory_order_relaxed);
  if (interrupts(*now)) return refuse(EINTR);
  const int error = now->hooks.open ? now->hooks.open(name) : 0;
  if (error != 0) return refuse(error);
  const int directory = __real_openat(at, name, flags);
  if (directory >= 0) {
    const std::lock_guard lock(now->mutex);
    now->blocks[directory] = 0;
  }
  return directory;
}

int __wrap_close(int descriptor) {
  using namespace fathom::fs;
  State* const now = state;
  if (now != nullptr) {
    const std::lock_guard lock(now->mutex);
    now->blocks.erase(descriptor);
  }
  return __real_close(descriptor);
}

int __wrap_statx(int at, const char* name, int flags, unsigned mask, struct statx* buffer) {
  using namespace fathom::fs;
  State* const now = state;
  if (now != nullptr) {
    if (now->hooks.no_statx != 0) return refuse(now->hooks.no_statx);
    if (const int error = stat_error(*now, name); error != 0) return refuse(error);
  }
  return __real_statx(at, name, flags, mask, buffer);
}

int __wrap_fstatat(int at, const char* name, struct stat* buffer, int flags) {
  using namespace fathom::fs;
  State* const now = state;
  if (now != nullptr) {
    if (const int error = stat_error(*now, name); error != 0) return refuse(error);
  }
  return __real_fstatat(at, name, buffer, flags);
}

int __wrap_fstat(int descriptor, struct stat* buffer) {
  using namespace fathom::fs;
  State* const now = state;
  if (now != nullptr) {
    if (const int error = stat_error(*now, ""); error != 0) return refuse(error);
  }
  return __real_fstat(descriptor, buffer);
}

ssize_t __wrap_readlinkat(int at, const char* name, char* buffer, std::size_t room) {
  using namespace fathom::fs;
  State* const now = state;
  if (now != nullptr) {
    record_other(*now, "readlinkat");
    if (interrupts(*now)) return refuse(EINTR);
    if (now->hooks.target) return static_cast<ssize_t>(now->hooks.target(name).copy(buffer, room));
  }
  return __real_readlinkat(at, name, buffer, room);
}

ssize_t __wrap_pread(int descriptor, void* buffer, std::size_t room, off_t offset) {
  using namespace fathom::fs;
  if (state != nullptr) record_other(*state, "pread");
  return __real_pread(descriptor, buffer, room, offset);
}

int __wrap_fstatfs(int descriptor, struct statfs* buffer) {
  using namespace fathom::fs;
  if (state != nullptr) record_other(*state, "fstatfs");
  return __real_fstatfs(descriptor, buffer);
}

// Takes as many arguments as there may be, like the real one.
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...) {
  using namespace fathom::fs;
  std::va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  State* const now = state;
  if (now == nullptr || number != SYS_getdents64) {
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                          arguments[4], arguments[5]);
  }
  const int error = list_error(*now, static_cast<int>(arguments[0]));
  if (error != 0) return refuse(error);
  const long length = __real_syscall(number, arguments[0], arguments[1], arguments[2]);
  if (length > 0 && now->hooks.unknown_types) {
    forget_types(reinterpret_cast<std::byte*>(arguments[1]), length);
  }
  return length;
}

}  // extern "C"
// NOLINTEND

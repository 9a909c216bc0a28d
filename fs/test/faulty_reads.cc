// FaultyReads: the wrapper of pread().

#include "faulty_reads.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace fathom::fs {

namespace {

FaultyReads::Hook hook;
std::size_t most = 0;

}  // namespace

FaultyReads::FaultyReads(Hook hook_in, std::size_t most_in) {
  hook = std::move(hook_in);
  most = most_in;
}

FaultyReads::~FaultyReads() {
  hook = {};
  most = 0;
}

}  // namespace fathom::fs

extern "C" {

ssize_t __real_pread(int file, void* into, std::size_t length, off_t offset);   // NOLINT
ssize_t __wrap_pread(int file, void* into, std::size_t length, off_t offset) {  // NOLINT
  using namespace fathom::fs;
  if (hook) {
    struct stat status = {};
    if (::fstat(file, &status) != 0) return -1;
    errno = hook(status.st_ino, static_cast<std::uint64_t>(offset), length);
    if (errno != 0) return -1;
  }
  if (most != 0) {
    static thread_local bool interrupted = false;
    interrupted = !interrupted;
    if (interrupted) {
      errno = EINTR;
      return -1;
    }
    length = std::min(length, most);
  }
  return __real_pread(file, into, length, offset);
}
}

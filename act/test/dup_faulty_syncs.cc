// FaultySyncs: the wrappers of fsync(), syncfs() and sync_file_range().

#include "dup_faulty_syncs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fathom::act {
namespace {

std::function<int(std::string_view, int)>& hook() {
  static std::function<int(std::string_view, int)> fault;
  return fault;
}

// Whether the call fails, with errno set.
bool fails(std::string_view call, int file) {
  const int code = hook() ? hook()(call, file) : 0;
  if (code != 0) errno = code;
  return code != 0;
}

}  // namespace

FaultySyncs::FaultySyncs(std::function<int(std::string_view, int)> fault) {
  hook() = std::move(fault);
}

FaultySyncs::~FaultySyncs() {
  hook() = nullptr;
}

}  // namespace fathom::act

extern "C" {

// Names that the linker generates. NOLINTBEGIN(readability-identifier-naming)
int __real_fsync(int file);
int __real_syncfs(int file);
int __real_sync_file_range(int file, off_t offset, off_t bytes, unsigned flags);

int __wrap_fsync(int file) {
  return fathom::act::fails("fsync", file) ? -1 : __real_fsync(file);
}

int __wrap_syncfs(int file) {
  return fathom::act::fails("syncfs", file) ? -1 : __real_syncfs(file);
}

int __wrap_sync_file_range(int file, off_t offset, off_t bytes, unsigned flags) {
  return fathom::act::fails("sync_file_range", file)
             ? -1
             : __real_sync_file_range(file, offset, bytes, flags);
}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"

// WatchedReads: the wrapper of pread().

#include "watched_reads.h"

#include <unistd.h>

#include <cstddef>
#include <utility>

namespace fathom::act {
namespace {

std::function<void(std::string_view)>& watcher() {
  static std::function<void(std::string_view)> after;
  return after;
}

}  // namespace

WatchedReads::WatchedReads(std::function<void(std::string_view)> after) {
  watcher() = std::move(after);
}

WatchedReads::~WatchedReads() {
  watcher() = nullptr;
}

}  // namespace fathom::act

extern "C" {

// Names that the linker generates. NOLINTBEGIN(readability-identifier-naming)
ssize_t __real_pread(int file, void* to, size_t size, off_t at);

ssize_t __wrap_pread(int file, void* to, size_t size, off_t at) {
  const ssize_t length = __real_pread(file, to, size, at);
  if (length > 0 && fathom::act::watcher()) {
    fathom::act::watcher()({static_cast<const char*>(to), static_cast<std::size_t>(length)});
  }
  return length;
}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"

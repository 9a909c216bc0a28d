// sync_file: writes a file or directory to the disk.
//
//   if (const int result = base::sync_file(file.get()); result != 0) fail(-result);

#pragma once

#include <unistd.h>

#include <cerrno>

#include "fathom/base/retry.h"

namespace fathom::base {

// Whether a call that syncs returned the -errno of filesystems that have nothing to sync. EROFS is
// not one: it comes from a filesystem that was made read-only after an error, and has lost data
// that was not written yet.
inline bool has_nothing_to_sync(int result) noexcept {
  return result == -EINVAL || result == -ENOTSUP;
}

// fsync() of an open file or directory. Returns 0, also if there is nothing to sync, or -errno.
inline int sync_file(int file) noexcept {
  const int result = retry_errno([&] { return ::fsync(file); });
  return has_nothing_to_sync(result) ? 0 : result;
}

}  // namespace fathom::base

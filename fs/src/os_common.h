// Shared by the backends of os.h.

#pragma once

#include <cerrno>
#include <cstddef>

#include "fathom/fs/tree.h"

namespace fathom::fs::os {

// Retries a call that was interrupted by a signal. Returns its value, or -errno instead of -1.
template <class Call>
int retry(Call call) {
  for (;;) {
    const int result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

// Metadata with POSIX calls; results as in os.h.
int fstatat_entry(int at, const char* name, int flags, Entry& entry);
int fstat_entry(int descriptor, Entry& entry);

// How many descriptors this process may have open, and how many it has; tests each one.
std::size_t descriptor_limit();
std::size_t open_descriptors();

}  // namespace fathom::fs::os

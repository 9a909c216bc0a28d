// What the backends of os.h share.

#pragma once

#include <cerrno>
#include <cstddef>

#include "fathom/fs/tree.h"

namespace fathom::fs::os {

// The result of a call that says -1 and errno: its value or -errno; again while a signal interrupts
// it.
template <class Call>
int retry(Call call) {
  for (;;) {
    const int result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

// Metadata by the calls that POSIX has; results as in os.h.
int fstatat_entry(int at, const char* name, int flags, Entry& entry);
int fstat_entry(int descriptor, Entry& entry);

// How many descriptors this process may have open, and how many it has: asked of each.
std::size_t descriptor_limit();
std::size_t open_descriptors();

}  // namespace fathom::fs::os

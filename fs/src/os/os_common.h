// Shared by the backends of os.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/fs/tree.h"

namespace fathom::fs::os {

// Metadata with POSIX calls; results as in os.h. They always have the times that POSIX knows.
int fstatat_entry(int at, const char* name, int flags, Entry& entry);
int fstat_entry(int descriptor, Entry& entry);

// How many descriptors this process may have open, and how many it has, of the first 4,096; tests
// each one.
std::size_t descriptor_limit();
std::size_t open_descriptors();

}  // namespace fathom::fs::os

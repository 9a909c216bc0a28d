// How many bytes on the disk only one file holds.

#pragma once

#include <cstdint>

#include "dups/file_state.h"

namespace fathom::fs {

// What st_blocks says, less the extents that the filesystem says are shared with other files.
[[nodiscard]] std::uint64_t unshared_bytes(int file, const FileState& state);

}  // namespace fathom::fs

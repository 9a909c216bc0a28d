// The bytes on the disk that belong to one file only.

#pragma once

#include <cstdint>

#include "os/file_state.h"

namespace fathom::act {

// st_blocks in bytes, without the extents that the filesystem reports as shared with other files.
[[nodiscard]] std::uint64_t unshared_bytes(int file, const FileState& state);

// Whether files of this filesystem may share extents: the filesystem of an open file or directory.
[[nodiscard]] bool may_share_extents(int file);

}  // namespace fathom::act

// The bytes on the disk that belong to one file only.

#pragma once

#include <cstdint>

#include "os/file_state.h"

namespace fathom::act {

// st_blocks in bytes, without the extents that the filesystem reports as shared with other files.
[[nodiscard]] std::uint64_t unshared_bytes(int file, const FileState& state);

// The same for a name in an open directory; 0 if the file cannot be opened, and all bytes of what
// is not a regular file.
[[nodiscard]] std::uint64_t unshared_bytes_at(int folder, const char* name, const FileState& state);

// Whether files of this filesystem may share extents: the filesystem of an open file or directory.
[[nodiscard]] bool may_share_extents(int file);

}  // namespace fathom::act

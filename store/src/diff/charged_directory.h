// charged_directory(): where a directory is counted.
//
// If the roots of a snapshot contain each other, a directory may be reached twice: it is counted at
// one of the places, and empty at the other.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "snapshot/directory_table.h"

namespace fathom::store {

// The row of the directory with this absolute path; of several, the one that counts most entries,
// and of equal ones that of the outermost root.
[[nodiscard]] std::optional<std::uint64_t> charged_directory(DirectoryTable& table,
                                                             std::string_view path);

}  // namespace fathom::store

// The bytes of the file compared-files of a store: what searches for duplicates have found out.
//
// A header, the names of the filesystems, a record of 48 bytes for each file, and a checksum of all
// of this, which tells damage, not forgery. Numbers are in the byte order of the machine; a file of
// another order has an unknown version.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/fs/compared_files.h"

namespace fathom::store {

// The longest file that is read.
inline constexpr std::size_t kMostComparedBytes =
    fs::ComparedFiles::kMostFiles * sizeof(fs::ComparedFile) + (std::size_t{1} << 20);

[[nodiscard]] std::string write_compared_files(const fs::ComparedFiles& compared);

// Throws base::Error, whose message follows the name of the file, if the bytes are anything else.
[[nodiscard]] fs::ComparedFiles parse_compared_files(std::string_view text);

// What the bytes must end with.
[[nodiscard]] std::string checksum_of(std::string_view text);

}  // namespace fathom::store

// Listing: the entries of a directory.

#pragma once

#include <string>
#include <vector>

#include "fathom/fs/tree.h"
#include "os/safe_open.h"

namespace fathom::act {

struct ListedEntry {
  std::string name;
  fs::Kind kind = fs::Kind::other;
};

// The names in a directory that the user named. Throws base::SystemError if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& path);

// The entries of an open directory, in no particular order. Returns 0 or -errno.
[[nodiscard]] int list_folder(int folder, std::vector<ListedEntry>& entries);

// The names alone, each followed by a zero byte: little memory for a directory with many.
[[nodiscard]] int list_names(int folder, std::string& names);

}  // namespace fathom::act

// Directory: reads directories through descriptors, so that no path is too long.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fathom/base/fd.h"

namespace fathom::testing {

// Opens a directory. Falsy, with errno set, if it cannot be opened, is not a directory, or is a
// symbolic link.
base::Fd open_directory(int parent, const std::string& name);

// All names in it except "." and "..", in the system's order; nullopt, with errno set, on error.
// The descriptor stays open, positioned at the end.
std::optional<std::vector<std::string>> names_in(int directory);

}  // namespace fathom::testing

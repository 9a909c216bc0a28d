// Reading directories through descriptors, by which no path is ever too long.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fd.h"

namespace fathom::testing {

// A directory to be read. Falsy, with errno set, if it cannot be opened, is none, or is a symbolic
// link.
Fd open_directory(int parent, const std::string& name);

// All names in it but "." and "..", in the system's order; nothing, with errno set, on an error.
// The descriptor stays open, at the directory's end.
std::optional<std::vector<std::string>> names_in(int directory);

}  // namespace fathom::testing

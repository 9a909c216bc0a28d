// Whether two files may become one without any user gaining or losing access.

#pragma once

#include <string>

#include "os/file_state.h"

namespace fathom::act {

// The first difference of owner, group, permissions, access control lists or other extended
// attributes, human-readable; empty if there is none. An attribute that cannot be read counts as
// different.
[[nodiscard]] std::string access_difference(int a, const FileState& a_state, int b,
                                            const FileState& b_state);

}  // namespace fathom::act

// Whether two files may become one without anybody gaining or losing access to them.

#pragma once

#include <string>

#include "dups/file_state.h"

namespace fathom::fs {

// What differs of owner, group, permissions, access control lists and other extended attributes,
// for people; empty: nothing. What cannot be asked counts as different.
[[nodiscard]] std::string access_difference(int a, const FileState& a_state, int b,
                                            const FileState& b_state);

}  // namespace fathom::fs

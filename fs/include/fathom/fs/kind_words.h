// KindWords: shows the kind of an entry by a character after its name, as ls -F does, or in words.

#pragma once

#include <string_view>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// "/" for a directory, "@" for a symbolic link, "|" for a pipe, "=" for a socket, "" for a file or
// a device.
[[nodiscard]] std::string_view kind_mark(const Tree& tree, NodeId node);

// "directory", "file", "symbolic link" or "special file".
[[nodiscard]] std::string_view kind_name(Kind kind);

// As reports and other files call a kind: "directory", "file", "symlink" or "other".
[[nodiscard]] std::string_view to_string(Kind kind);

}  // namespace fathom::fs

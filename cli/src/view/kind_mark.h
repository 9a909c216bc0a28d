// KindMark: shows the kind of an entry by a character after its name, as ls -F does, and by a
// colour.

#pragma once

#include <string_view>

#include "fathom/fs/tree.h"
#include "term/paint.h"

namespace fathom::cli {

// "/" for a directory, "@" for a symbolic link, "|" for a pipe, "=" for a socket, "" for a file or
// a device.
[[nodiscard]] std::string_view kind_mark(const fs::Tree& tree, fs::NodeId node);

[[nodiscard]] Tone kind_tone(fs::Kind kind);

// "directory", "file", "symbolic link" or "other", for views in words.
[[nodiscard]] std::string_view kind_name(fs::Kind kind);

}  // namespace fathom::cli

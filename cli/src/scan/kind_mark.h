// KindMark: how a name shows what it names, by a character behind it as ls -F has it, and a colour.

#pragma once

#include <string_view>

#include "fathom/fs/tree.h"
#include "term/paint.h"

namespace fathom::cli {

// "/" for a directory, "@" for a symbolic link, "|" for a pipe, "=" for a socket, "" for a file and
// a device.
[[nodiscard]] std::string_view kind_mark(const fs::Tree& tree, fs::NodeId node);

[[nodiscard]] Tone kind_tone(fs::Kind kind);

// "directory", "file", "symbolic link", "other": for those who are told rather than shown.
[[nodiscard]] std::string_view kind_name(fs::Kind kind);

}  // namespace fathom::cli

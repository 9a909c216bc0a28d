// PathFile: a list of paths for other programs.

#pragma once

#include <span>
#include <string>

namespace fathom::tui {

// Writes each path, unchanged, with a NUL byte after it, as xargs -0 reads them. Creates the file
// and never replaces one; if it cannot be completed, it is removed again. Returns what went wrong,
// as a sentence, or an empty text.
[[nodiscard]] std::string write_paths(const std::string& file, std::span<const std::string> paths);

// Where that file is, from the root.
[[nodiscard]] std::string whole_path(const std::string& file);

}  // namespace fathom::tui

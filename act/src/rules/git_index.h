// The index of git: the paths that git tracks.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::act {

// The paths in an index (gitformat-index(5), versions 2 to 4), ascending; a directory of a sparse
// index ends with a slash. Nothing if the index is not complete, is of another version, or is only
// a part of one (split). `sha256`: the object format of the repository.
[[nodiscard]] std::optional<std::vector<std::string>> parse_git_index(std::string_view bytes,
                                                                      bool sha256);

}  // namespace fathom::act

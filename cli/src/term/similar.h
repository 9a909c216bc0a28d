// Similar: suggests the known word that a misspelt one probably means.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fathom::cli {

// The known word with the smallest edit distance, the first of several. The distance is at most 1
// for words of up to five letters, and at most 2 for longer ones: about a third of the letters.
[[nodiscard]] std::optional<std::string> similar(std::string_view word,
                                                 std::span<const std::string> known);

}  // namespace fathom::cli

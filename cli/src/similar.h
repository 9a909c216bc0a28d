// Similar: which known word was probably meant by one that is not known.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fathom::cli {

// The nearest of the known words, of equals the first, as long as few letters had to be added,
// dropped, changed or swapped: one in a word of up to four letters, else two.
[[nodiscard]] std::optional<std::string> similar(std::string_view word,
                                                 std::span<const std::string> known);

}  // namespace fathom::cli

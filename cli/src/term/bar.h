// Bars and shares: how large a part is of the whole, to be seen at a glance.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::cli {

// A bar of as many of the columns as the part has of the whole, without blanks after it. With
// Unicode it ends in an eighth of a column, without it in a whole one, rounded to the nearest. A
// part that is not nothing is not shown as nothing.
[[nodiscard]] std::string bar(std::uint64_t part, std::uint64_t whole, unsigned columns,
                              bool unicode);

// "57%", rounded to the nearest; "0%" of an empty whole. At most four columns: the part is never
// more than the whole.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

}  // namespace fathom::cli

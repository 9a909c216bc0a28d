// Bars and shares: the size of a part relative to the whole.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::text {

// A bar that fills the part's share of the columns, without trailing spaces. It is rounded to an
// eighth of a column with Unicode, and to a whole column without. A part above 0 is never shown as
// an empty bar.
[[nodiscard]] std::string bar(std::uint64_t part, std::uint64_t whole, unsigned columns,
                              bool unicode);

// A bar on an axis: to the left of it for what became smaller, to the right for what became larger.
// It has 2 * columns + 1 columns, of which those at the end are not written if they are blank. A
// change of `most` fills one side. To the left it is rounded to half a column with Unicode.
[[nodiscard]] std::string signed_bar(std::int64_t change, std::uint64_t most, unsigned columns,
                                     bool unicode);

// "57%", rounded to the nearest; "0%" if the whole is 0. At most four columns: a part larger than
// the whole is shown as 100%.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

}  // namespace fathom::text

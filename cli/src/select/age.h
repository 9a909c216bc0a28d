// Ages as users write them: a number and a unit.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace fathom::cli {

// Parses "90s", "15m", "1h", "7d" or "2w". Returns nothing for other texts, for 0, and for ages of
// more than a thousand years.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);

}  // namespace fathom::cli

// Ages as people write them: a number and a unit.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace fathom::cli {

// "90s", "15m", "1h", "7d", "2w". Nothing for anything else, for 0, and for what is more than a
// thousand years.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);

}  // namespace fathom::cli

// Numbers formatted for users, the same in every locale.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/base/bytes.h"

namespace fathom::text {

// 1234567 is "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

// "1 entry", "2,000 entries".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view many);

// "+1.5 KiB", "-12 MiB", "0 B"; see base::format_bytes().
[[nodiscard]] std::string signed_bytes(std::int64_t change, base::Units units);

// "850 ms". Durations that do not fit in 64-bit nanoseconds are clamped.
[[nodiscard]] std::string duration(double seconds);

// "1,234/s"; empty if seconds is 0. Rates that do not fit in 64 bits are clamped.
[[nodiscard]] std::string rate_of(std::uint64_t number, double seconds);

// The text, padded with spaces on the left to at least that many columns. ASCII only.
[[nodiscard]] std::string right(std::string_view text, std::size_t columns);

}  // namespace fathom::text

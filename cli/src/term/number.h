// Numbers as people read them, the same in every locale.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::cli {

// 1234567 is "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

// "1 entry", "2,000 entries".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view many);

// "850 ms". More than a clock can mean is cut to that.
[[nodiscard]] std::string duration(double seconds);

// "1,234/s"; empty when it took no time that the clock can tell.
[[nodiscard]] std::string rate_of(std::uint64_t number, double seconds);

// The text with blanks before it, so that it has at least as many columns. ASCII only.
[[nodiscard]] std::string right(std::string_view text, std::size_t columns);

}  // namespace fathom::cli

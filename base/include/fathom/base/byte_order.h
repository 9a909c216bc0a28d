// little_endian: numbers in files have their lowest byte first, whatever the machine.
//
//   const std::uint32_t stored = little_endian(length);  // its bytes are those of the file
//   std::memcpy(&stored, bytes, sizeof stored);
//   length = little_endian(stored);

#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace fathom::base {

// From the byte order of the machine to that of files, and back. Costs nothing on most machines.
template <class Number>
constexpr Number little_endian(Number number) noexcept {
  static_assert(std::is_integral_v<Number>);
  if constexpr (std::endian::native == std::endian::little || sizeof number == 1) {
    return number;
  } else if constexpr (sizeof number == 2) {
    return static_cast<Number>(__builtin_bswap16(static_cast<std::uint16_t>(number)));
  } else if constexpr (sizeof number == 4) {
    return static_cast<Number>(__builtin_bswap32(static_cast<std::uint32_t>(number)));
  } else {
    static_assert(sizeof number == 8);
    return static_cast<Number>(__builtin_bswap64(static_cast<std::uint64_t>(number)));
  }
}

}  // namespace fathom::base

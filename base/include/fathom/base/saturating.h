// Saturating: sums and products that stop at the largest value instead of wrapping around.
//
// A tree may contain several files that each claim 2^63 bytes. A total of 2^64 - 1 is visibly
// wrong; a total that wrapped around is not. Saturating addition of unsigned numbers is associative
// and commutative, so totals do not depend on the order in which threads add.
//
//   total = saturating_add(total, saturating_mul(blocks, 512));

#pragma once

#include <cstdint>
#include <limits>

namespace fathom::base {

// a + b, or 2^64 - 1 if the sum exceeds it.
constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

// a * b, or 2^64 - 1 if the product exceeds it.
constexpr std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

// a + b, or the nearest number that std::int64_t has.
constexpr std::int64_t saturating_add_signed(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

// a - b, or the nearest number that std::int64_t has.
constexpr std::int64_t saturating_difference(std::uint64_t a, std::uint64_t b) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < b ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

// The absolute value, which may be one that std::int64_t does not have: 2^63.
constexpr std::uint64_t magnitude(std::int64_t number) noexcept {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

}  // namespace fathom::base

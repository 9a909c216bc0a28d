// Sums and products that stop at the largest value rather than wrap around.
//
// A total of sizes may meet a file that claims 2^63 bytes, and then another. A total that stays at
// 2^64 - 1 is visibly wrong; one that wrapped is invisibly so. Saturated addition of unsigned
// numbers is associative and commutative, so totals do not depend on the order of the threads.
//
//   total = saturating_add(total, saturating_mul(blocks, 512));

#pragma once

#include <cstdint>
#include <limits>

namespace fathom::base {

// a + b, or 2^64 - 1 where the sum would exceed it.
constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

// a * b, or 2^64 - 1 where the product would exceed it.
constexpr std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

}  // namespace fathom::base

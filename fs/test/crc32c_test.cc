// crc32c: compared with the definition, bit by bit.
//
// Only the way that this processor uses runs here: its instruction, or the tables.

#include "volume/crc32c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>

namespace fathom::fs {
namespace {

std::uint32_t crc_by_bits(std::uint32_t crc, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
  }
  return crc;
}

TEST(Crc32c, HasTheCheckValueOfTheStandard) {
  constexpr std::string_view kDigits = "123456789";
  EXPECT_EQ(~crc32c(~0U, std::as_bytes(std::span(kDigits))), 0xe3069283);
}

TEST(Crc32c, EqualsTheDefinitionForEachLengthAndAlignment) {
  alignas(8) std::array<std::byte, 8 + 64> bytes;
  std::mt19937 random(1);
  for (std::byte& byte : bytes) byte = std::byte(random());
  for (std::size_t begin = 0; begin < 8; ++begin) {
    for (std::size_t length = 0; length <= 64; ++length) {
      const auto some = std::span(bytes).subspan(begin, length);
      const auto before = static_cast<std::uint32_t>(random());
      ASSERT_EQ(crc32c(before, some), crc_by_bits(before, some)) << begin << " " << length;
    }
  }
}

TEST(Crc32c, CanBeComputedPieceByPiece) {
  std::array<std::byte, 100> bytes;
  bytes.fill(std::byte{0xa5});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::uint32_t first = crc32c(1, std::span(bytes).first(cut));
    ASSERT_EQ(crc32c(first, std::span(bytes).subspan(cut)), crc32c(1, bytes)) << cut;
  }
}

}  // namespace
}  // namespace fathom::fs

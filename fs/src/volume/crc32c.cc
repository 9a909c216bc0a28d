// crc32c: with the processor's instruction where there is one, otherwise by tables for 8 bytes at a
// time (Kounavis and Berry, "A Systematic Approach to Building High Performance Software-Based CRC
// Generators", 2005).

#include "volume/crc32c.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstring>

namespace fathom::fs {

namespace {

constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables kTables = [] {
  constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}();

std::uint32_t by_tables(std::uint32_t crc, std::span<const std::byte> bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= kSlices; left -= kSlices, at += kSlices) {
    const std::uint32_t low = crc ^ (at[0] | std::uint32_t{at[1]} << 8 |
                                     std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24);
    crc = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^
          kTables[4][low >> 24] ^ kTables[3][at[4]] ^ kTables[2][at[5]] ^ kTables[1][at[6]] ^
          kTables[0][at[7]];
  }
  for (; left > 0; --left, ++at) crc = crc >> 8 ^ kTables[0][(crc ^ *at) & 0xff];
  return crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2,crc32"))) std::uint32_t by_instruction(
    std::uint32_t crc, std::span<const std::byte> bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  std::uint64_t wide = crc;
  for (; left >= sizeof wide; left -= sizeof wide, at += sizeof wide) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) crc = __builtin_ia32_crc32qi(crc, *at);
  return crc;
}

// Not by __builtin_cpu_supports(), which asks at the start of each program, even if it needs no
// checksum; a virtual machine takes long to answer.
bool processor_has_instruction() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_SSE4_2) != 0;
}

#endif

}  // namespace

std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = processor_has_instruction();
  if (has_instruction) return by_instruction(crc, bytes);
#endif
  return by_tables(crc, bytes);
}

}  // namespace fathom::fs

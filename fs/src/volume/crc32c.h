// crc32c: the checksum (Castagnoli) of ext4 and other filesystems, without inversion at begin and
// end.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::fs {

[[nodiscard]] std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace fathom::fs

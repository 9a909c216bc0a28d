// same_content: which of several blocks in memory are equal, byte for byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::fs {

// A hash that says which blocks are worth comparing, and never that two are equal.
[[nodiscard]] std::uint64_t content_hash(std::span<const std::byte> block);

// For each of the blocks, which are equally long, the number of the first that equals it. A block
// that is nowhere (data() is null) could not be read: it gets kNotRead.
inline constexpr std::uint32_t kNotRead = 0xffffffff;
[[nodiscard]] std::vector<std::uint32_t> same_content(std::span<const std::span<std::byte>> blocks);

}  // namespace fathom::fs

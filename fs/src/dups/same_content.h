// same_content: determines which of several blocks in memory are equal, byte for byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::fs {

// A hash that says which blocks are worth comparing, never that two are equal.
[[nodiscard]] std::uint64_t content_hash(std::span<const std::byte> block);

// For each of the blocks, which have equal lengths, the index of the first one that equals it. A
// block with a null pointer could not be read: it gets kNotRead.
inline constexpr std::uint32_t kNotRead = 0xffffffff;
[[nodiscard]] std::vector<std::uint32_t> same_content(std::span<const std::span<std::byte>> blocks);

}  // namespace fathom::fs

// same_content: determines which of several blocks in memory are equal, byte for byte.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fathom::fs {

// A hash that says which blocks are worth comparing, never that two are equal. Each process has
// another one, so that nobody can make files with the same hash.
[[nodiscard]] std::uint64_t content_hash(std::span<const std::byte> block);

// A hash of the beginning of a file. The bytes must be those of the whole file, or at least kPage.
// It is stored: to change it, change the version of the format (docs/SNAPSHOT.md). Everyone can
// make files with the same hash.
[[nodiscard]] std::uint32_t begin_hash_of(std::span<const std::byte> bytes);

// For each of the blocks, which have equal lengths, the index of the first one that equals it. A
// block with a null pointer could not be read: it gets kNotRead.
inline constexpr std::uint32_t kNotRead = 0xffffffff;
[[nodiscard]] std::vector<std::uint32_t> same_content(std::span<const std::span<std::byte>> blocks);

// Calls function(indexes) for each label but kNotRead, with the ascending indexes that have it.
template <class Function>
void for_each_label(std::span<const std::uint32_t> labels, const Function& function) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;  // label, index
  for (std::uint32_t index = 0; index < labels.size(); ++index) {
    if (labels[index] != kNotRead) sorted.emplace_back(labels[index], index);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> indexes;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    indexes.push_back(sorted[i].second);
    if (i + 1 < sorted.size() && sorted[i + 1].first == sorted[i].first) continue;
    function(indexes);
    indexes.clear();
  }
}

}  // namespace fathom::fs

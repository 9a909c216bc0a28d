// same_content: compares few distinct blocks directly, and finds more of them by hash.

#include "dups/same_content.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <exception>
#include <random>
#include <unordered_map>

#include "dups/buffer_size.h"

namespace fathom::fs {

namespace {

// Up to this many distinct blocks are compared directly: most differ early, whereas a hash would
// have to read each block to its end.
constexpr std::size_t kFew = 8;

using Block = std::span<std::byte>;

bool equal(Block a, Block b) {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// The blocks that differ from all before them.
class Firsts {
 public:
  explicit Firsts(std::span<const Block> blocks) : blocks_(blocks) {}

  // The first block that equals this one, possibly itself.
  std::uint32_t find_or_add(std::uint32_t number) {
    if (by_hash_.empty()) {
      for (const std::uint32_t first : firsts_) {
        if (equal(blocks_[first], blocks_[number])) return first;
      }
      firsts_.push_back(number);
      if (firsts_.size() > kFew) {
        for (const std::uint32_t first : firsts_) add(first);
      }
      return number;
    }
    const auto [begin, end] = by_hash_.equal_range(content_hash(blocks_[number]));
    for (auto known = begin; known != end; ++known) {
      if (equal(blocks_[known->second], blocks_[number])) return known->second;
    }
    add(number);
    return number;
  }

 private:
  void add(std::uint32_t number) { by_hash_.emplace(content_hash(blocks_[number]), number); }

  std::span<const Block> blocks_;
  std::vector<std::uint32_t> firsts_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // used once there are more
};

// Nobody can make files whose hashes collide without knowing it: they would be compared in pairs.
std::uint64_t seed_of_process() {
  static const std::uint64_t seed = [] {
    try {
      std::random_device random;
      return std::uint64_t{random()} << 32 | random();
    } catch (const std::exception&) {  // the system has no random numbers
      return std::uint64_t{0};
    }
  }();
  return seed;
}

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t seed) {
  const std::uint64_t hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
#ifdef FATHOM_CONTENT_HASH_BITS  // for tests: makes hash collisions frequent
  return hash & ((std::uint64_t{1} << FATHOM_CONTENT_HASH_BITS) - 1);
#else
  return hash;
#endif
}

}  // namespace

std::uint64_t content_hash(std::span<const std::byte> block) {
  return hash_of(block, seed_of_process());
}

std::uint32_t begin_hash_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(hash_of(bytes.first(std::min(bytes.size(), kPage)), 0));
}

std::vector<std::uint32_t> same_content(std::span<const Block> blocks) {
  Firsts firsts(blocks);
  std::vector<std::uint32_t> result(blocks.size(), kNotRead);
  for (std::uint32_t number = 0; number < blocks.size(); ++number) {
    if (blocks[number].data() != nullptr) result[number] = firsts.find_or_add(number);
  }
  return result;
}

}  // namespace fathom::fs

// Pattern: the contents of each message, determined by its client and its number.
//
// All messages are pieces of one long sequence of random bytes, each at a different place: no
// message has to be generated or stored, and bytes of another message, or of another place in the
// same message, differ.
//
//   Pattern pattern(64);
//   std::span<const char> bytes = pattern.message(client, number);

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace fathom::bench {

class Pattern {
 public:
  // For messages of so many bytes.
  explicit Pattern(std::size_t size) : size_(size), row_(kPlaces + size) {
    std::mt19937_64 random(size);
    for (std::size_t at = 0; at < row_.size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t bytes = random();
      std::memcpy(&row_[at], &bytes, std::min(sizeof bytes, row_.size() - at));
    }
  }

  std::size_t size() const noexcept { return size_; }

  std::span<const char> message(std::size_t client, std::size_t number) const noexcept {
    const std::size_t place = (client * kClientStep + number) % kPlaces;
    return {row_.data() + place, size_};
  }

 private:
  // A prime, so that the messages of a client differ for as many messages, and those of clients
  // with adjacent numbers do not coincide soon.
  static constexpr std::size_t kPlaces = 65'521;
  static constexpr std::size_t kClientStep = 25'033;

  std::size_t size_;
  std::vector<char> row_;
};

}  // namespace fathom::bench

// Pattern: what each message consists of, told by its client and its number alone.
//
// All messages are pieces of one long row of random bytes, each at a place of its own: nothing has
// to be made or kept for a message, and what belongs to another one, or stands elsewhere in its
// own, differs.
//
//   Pattern pattern(64);
//   std::span<const char> bytes = pattern.message(client, number);

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace fathom::bench {

class Pattern {
 public:
  // Of messages of so many bytes.
  explicit Pattern(std::size_t size) : size_(size), row_(kPlaces + size) {
    std::mt19937_64 random(size);
    for (char& byte : row_) byte = static_cast<char>(random());
  }

  std::size_t size() const noexcept { return size_; }

  std::span<const char> message(std::size_t client, std::size_t number) const noexcept {
    const std::size_t place = (client * kClientStep + number) % kPlaces;
    return {row_.data() + place, size_};
  }

 private:
  // A prime, so that a client's messages differ for as many, and those of clients that stand near
  // each other do not meet soon.
  static constexpr std::size_t kPlaces = 65'521;
  static constexpr std::size_t kClientStep = 25'033;

  std::size_t size_;
  std::vector<char> row_;
};

}  // namespace fathom::bench

// Receipt: checks what the consumers of a run received.
//
// Producer p sends item(p, 1), item(p, 2) and so on. A receipt records what arrives at one
// consumer; ReceiptOfOne is for a single consumer of a single producer, where checking must cost
// next to nothing, ReceiptOfMany for everything else.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rt/suite.h"

namespace fathom::bench {

// Never 0, which some queues use for an empty slot.
constexpr Item item(unsigned producer, std::uint64_t number) {
  return Item{producer} << 32U | number;
}

// The number of items, their sum, and how many came after a later item of the same producer.
struct Received {
  std::uint64_t count = 0;
  Item sum = 0;
  std::uint64_t late = 0;

  Received& operator+=(const Received& other) {
    count += other.count;
    sum += other.sum;
    late += other.late;
    return *this;
  }
};

// The expected total of all consumers.
inline Received sent(unsigned producers, std::uint64_t each) {
  Received all;
  for (unsigned producer = 0; producer < producers; ++producer) {
    all.count += each;
    all.sum += item(producer, 0) * each + each * (each + 1) / 2;
  }
  return all;
}

inline bool complete(const Received& received, const Received& sent) {
  return received.count == sent.count && received.sum == sent.sum;
}

inline std::string describe(const Received& received) {
  return "received " + std::to_string(received.count) + " items with the sum " +
         std::to_string(received.sum) + ", " + std::to_string(received.late) + " of them too late";
}

class ReceiptOfOne {
 public:
  explicit ReceiptOfOne(unsigned /*producers*/) {}

  void take(Item item) {
    sum_ += item;
    late_ += item != ++count_ ? 1U : 0U;
  }
  Received received() const { return {count_, sum_, late_}; }

 private:
  std::uint64_t count_ = 0;
  Item sum_ = 0;
  std::uint64_t late_ = 0;
};

class ReceiptOfMany {
 public:
  explicit ReceiptOfMany(unsigned producers) : last_(producers) {}

  void take(Item item) {
    ++count_;
    sum_ += item;
    const std::uint64_t producer = item >> 32U;
    if (producer >= last_.size()) return;  // no such producer: the sum will differ
    late_ += item <= last_[producer] ? 1U : 0U;
    last_[producer] = item;
  }
  Received received() const { return {count_, sum_, late_}; }

 private:
  std::uint64_t count_ = 0;
  Item sum_ = 0;
  std::uint64_t late_ = 0;
  std::vector<Item> last_;  // per producer
};

}  // namespace fathom::bench

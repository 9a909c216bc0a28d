// MpmcRing: many threads pass work to many others; the size of the ring limits the fast ones.

#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt.h"

int main() {
  fathom::rt::MpmcRing<std::uint64_t> ring(64);
  fathom::base::atomic<std::uint64_t> sum{0};
  std::vector<std::thread> consumers;
  for (int i = 0; i < 3; ++i) {
    consumers.emplace_back([&] {
      while (const auto item = ring.pop()) sum += *item;  // nullopt: closed and empty
    });
  }
  std::vector<std::thread> producers;
  for (int i = 0; i < 3; ++i) {
    producers.emplace_back([&] {
      for (std::uint64_t item = 1; item <= 1000; ++item) ring.push(item);
    });
  }
  for (std::thread& producer : producers) producer.join();
  ring.close();
  for (std::thread& consumer : consumers) consumer.join();
  std::cout << "the sum of all items is " << sum << '\n';
  return sum == 3 * 500'500 ? 0 : 1;
}

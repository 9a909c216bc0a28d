// SpscRing: one thread passes items to another, here in batches.

#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <thread>

#include "fathom/rt.h"

int main() {
  fathom::rt::SpscRing<std::uint64_t> ring(1024);
  std::thread producer([&] {
    std::array<std::uint64_t, 16> batch;
    for (std::uint64_t first = 0; first < 160'000; first += batch.size()) {
      std::iota(batch.begin(), batch.end(), first);
      ring.push_batch(batch);  // waits while the ring is full
    }
    ring.close();
  });
  std::uint64_t expected = 0;
  bool in_order = true;
  // Waits while the ring is empty; 0 when it is closed and empty.
  while (ring.pop_batch(16, [&](std::uint64_t item) { in_order &= item == expected++; }) > 0) {
  }
  producer.join();
  std::cout << expected << " items, " << (in_order ? "in order\n" : "out of order\n");
  return in_order && expected == 160'000 ? 0 : 1;
}

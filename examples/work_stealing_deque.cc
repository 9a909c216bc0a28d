// WorkStealingDeque: the owner works at one end, a thief at the other.

#include <cstdint>
#include <iostream>
#include <thread>

#include "fathom/rt.h"

int main() {
  fathom::rt::WorkStealingDeque<std::uint64_t> deque;
  constexpr std::uint64_t kItems = 100'000;
  std::uint64_t owned = 0;
  std::uint64_t stolen = 0;
  for (std::uint64_t i = 1; i <= kItems; ++i) deque.push(i);
  std::thread thief([&] {
    for (;;) {
      const auto [status, item] = deque.steal();  // the oldest
      if (status == fathom::rt::StealStatus::empty) return;
      if (status == fathom::rt::StealStatus::taken) stolen += item;
    }
  });
  while (const auto item = deque.pop()) owned += *item;  // the newest
  thief.join();
  std::cout << "the owner's sum " << owned << " and the thief's " << stolen << " are all of it\n";
  return owned + stolen == kItems * (kItems + 1) / 2 ? 0 : 1;
}

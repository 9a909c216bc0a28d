// Tickers: an action every 10 ms in a loop whose iterations take nanoseconds.

#include <chrono>
#include <cstdint>
#include <iostream>

#include "fathom/rt.h"

int main() {
  using namespace std::chrono_literals;
  // Reads the clock so seldom that a tick may be late by about a tenth of the period.
  fathom::rt::BatchedTicker<fathom::rt::ClockTicker> ticker(0.1, 10ms);
  std::uint64_t turns = 0;
  for (int ticks = 0; ticks < 5; ++turns) {
    if (!ticker.tick()) continue;
    ++ticks;
    std::cout << "tick after " << turns << " turns\n";
  }
  // Due times that passed unnoticed, because another program had the processor, count as missed.
  std::cout << ticker.missed() << " missed\n";
  return turns > 5 ? 0 : 1;
}

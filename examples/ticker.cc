// Tickers: something every 10 ms from a loop whose turns take nanoseconds.

#include <chrono>
#include <cstdint>
#include <iostream>

#include "fathom/rt.h"

int main() {
  using namespace std::chrono_literals;
  // Asks the clock so seldom that a tick is at most about a tenth of the period late.
  fathom::rt::BatchedTicker<fathom::rt::ClockTicker> ticker(0.1, 10ms);
  std::uint64_t turns = 0;
  for (int ticks = 0; ticks < 5; ++turns) {
    if (!ticker.tick()) continue;
    ++ticks;
    std::cout << "tick after " << turns << " turns\n";
  }
  // Moments that passed unseen, because something else had the processor, count as missed.
  std::cout << ticker.missed() << " missed\n";
  return turns > 5 ? 0 : 1;
}

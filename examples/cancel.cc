// CancelSource, CancelToken and CancelCallback: stopping work that polls, and work that waits.

#include <chrono>
#include <cstdint>
#include <iostream>
#include <thread>

#include "fathom/rt.h"

int main() {
  using namespace std::chrono_literals;
  const auto now = fathom::base::monotonic_now();
  auto source = fathom::rt::CancelSource::with_deadline(now + 1h);

  fathom::rt::SpscRing<int> ring(16);
  std::thread waiting([&ring, token = source.token()] {
    const fathom::rt::CancelCallback close(token, [&ring] { ring.close(); });
    while (ring.pop()) {  // the callback ends the wait
    }
  });
  std::uint64_t turns = 0;
  std::thread busy([&turns, token = source.token()] {
    while (!token.cancelled()) ++turns;  // one relaxed load
  });

  const bool early = source.expire(now + 1min);  // any thread that has the current time
  const bool late = source.expire(now + 2h);
  waiting.join();
  busy.join();
  std::cout << "both stopped, one of them after " << turns << " turns\n";
  return !early && late ? 0 : 1;
}

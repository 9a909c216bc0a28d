// CancelSource, CancelToken and CancelCallback: stopping work that does not wait, and work that
// does.

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
    while (ring.pop()) {  // a wait ends because of the callback
    }
  });
  std::uint64_t turns = 0;
  std::thread busy([&turns, token = source.token()] {
    while (!token.cancelled()) ++turns;  // one relaxed load
  });

  const bool early = source.expire(now + 1min);  // whoever has the time at hand
  const bool late = source.expire(now + 2h);
  waiting.join();
  busy.join();
  std::cout << "both stopped, one of them after " << turns << " turns\n";
  return !early && late ? 0 : 1;
}

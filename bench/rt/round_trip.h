// RoundTrip: a number is sent to another thread, which adds one and sends it back, and so on.
//
//   add_round_trip<Polled<Ring>>("ring", 20'000);

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "rt/contender.h"
#include "rt/start_line.h"
#include "rt/suite.h"

namespace fathom::bench {

template <class Contender>
class RoundTrip {
 public:
  explicit RoundTrip(std::uint64_t trips) : trips_(trips) {}

  // Call once. Returns the duration.
  std::chrono::duration<double> run() {
    std::thread there([this] { echo(); });
    std::thread here([this] { send(); });
    there.join();
    here.join();
    return ended_ - line_.opened();
  }

  // Whether one was added each time.
  bool right() const { return number_ == 1 + trips_; }

 private:
  void send() {
    auto out = to_.producer();
    auto in = from_.consumer();
    line_.cross();
    for (std::uint64_t i = 0; i < trips_; ++i) {
      out.push(number_);
      number_ = in.pop();
    }
    ended_ = base::monotonic_now();
  }

  void echo() {
    auto in = to_.consumer();
    auto out = from_.producer();
    line_.cross();
    for (std::uint64_t i = 0; i < trips_; ++i) out.push(in.pop() + 1);
  }

  const std::uint64_t trips_;
  // On separate cache lines, as in Transfer.
  alignas(base::kCacheLine) Contender to_{kCapacity};
  alignas(base::kCacheLine) Contender from_{kCapacity};
  alignas(base::kCacheLine) StartLine line_{2};
  Item number_ = 1;  // used by the sender until it is joined, like ended_
  StartLine::TimePoint ended_;
};

template <class Contender>
void add_round_trip(const std::string& contender, std::uint64_t trips) {
  add("rt/roundtrip/" + contender,
      [trips](benchmark::State& state) {
        for (auto _ : state) {
          RoundTrip<Contender> trip(trips);
          state.SetIterationTime(trip.run().count());
          if (!trip.right()) {
            fail(state, "the number that came back is not the one that was sent");
            break;
          }
        }
        count_operations(state, trips);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace fathom::bench

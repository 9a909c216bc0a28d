// The deque: the cost of a push and a pop for its owner while others steal.

#include <time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "rt/fathom_deque.h"
#include "rt/mutex_deque.h"
#include "rt/start_line.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

struct Taken {
  std::uint64_t count = 0;
  Item sum = 0;

  void take(Item item) {
    ++count;
    sum += item;
  }
  Taken& operator+=(const Taken& other) {
    count += other.count;
    sum += other.sum;
    return *this;
  }
};

// Steals as fast as possible.
template <class Deque>
struct Thief {
  static void act(Deque& deque, Taken& taken) {
    if (const std::optional<Item> item = deque.steal()) taken.take(*item);
  }
};

// Checks whether there is anything to steal, but takes nothing: isolates the cost of the owner
// writing what others read.
template <class Deque>
struct Watcher {
  static void act(Deque& deque, Taken& taken) {
    bool empty = deque.empty();
    benchmark::DoNotOptimize(empty);
    benchmark::DoNotOptimize(taken.count);
  }
};

// Is equally busy, but does not use the deque: isolates the cost of sharing processors.
template <class Deque>
struct Bystander {
  static void act(Deque& /*deque*/, Taken& taken) { benchmark::DoNotOptimize(taken.count); }
};

// Threads that do the same repeatedly, from construction until dismiss().
template <class Deque, template <class> class Act>
class Gang {
 public:
  Gang(Deque& deque, unsigned size) : line_(size + 1), taken_(size) {
    for (unsigned i = 0; i < size; ++i) {
      threads_.emplace_back([this, &deque, i] {
        Taken taken;
        line_.cross();
        while (!over_.load(base::memory_order_relaxed)) Act<Deque>::act(deque, taken);
        taken_[i] = taken;
      });
    }
    line_.cross();
  }
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  // Call once. Returns what they took.
  Taken dismiss() {
    over_.store(true, base::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
    Taken all;
    for (const Taken& each : taken_) all += each;
    return all;
  }

 private:
  StartLine line_;
  alignas(base::kCacheLine) base::atomic<bool> over_{false};
  alignas(base::kCacheLine) std::vector<Taken> taken_;  // written once each, at the end
  std::vector<std::thread> threads_;
};

// The CPU time of this thread.
double cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

constexpr std::uint64_t kRound = 512;

// The owner pushes 512 items and pops as often, whatever others took. Returns the newest item so
// far.
template <class Deque>
[[gnu::noinline]] Item work(Deque& deque, Item last, Taken& taken) {
  for (std::uint64_t i = 0; i < kRound; ++i) deque.push(++last);
  benchmark::ClobberMemory();
  for (std::uint64_t i = 0; i < kRound; ++i) {
    if (const std::optional<Item> item = deque.pop()) taken.take(*item);
  }
  benchmark::ClobberMemory();
  return last;
}

template <class Deque, template <class> class Act>
void measure_thieves(benchmark::State& state, unsigned thieves) {
  Deque deque;
  Taken taken;
  Item last = 0;
  Gang<Deque, Act> gang(deque, thieves);
  const double before = cpu_nanoseconds();
  for (auto _ : state) last = work(deque, last, taken);
  const double cpu = cpu_nanoseconds() - before;
  const Taken stolen = gang.dismiss();
  taken += stolen;
  if (taken.count != last || taken.sum != last * (last + 1) / 2) {
    fail(state, "pushed " + std::to_string(last) + " items, of which " +
                    std::to_string(taken.count) + " arrived, or others");
  }
  count_operations(state, 2 * kRound);
  state.counters["owner_cpu_ns/op"] = cpu / (2 * static_cast<double>(last));
  state.counters["stolen"] = static_cast<double>(stolen.count) / static_cast<double>(last);
}

template <class Deque, template <class> class Act>
void add_contender(const std::string& contender) {
  for (const unsigned thieves : {0U, 1U, 4U, 8U}) {
    add("rt/deque/thieves/" + contender + '/' + std::to_string(thieves),
        [thieves](benchmark::State& state) { measure_thieves<Deque, Act>(state, thieves); })
        ->UseRealTime();
  }
}

}  // namespace

void add_thieves() {
  add_contender<FathomDeque, Thief>("fathom");
  add_contender<MutexDeque, Thief>("mutex");
  add_contender<FathomDeque, Watcher>("watching_floor");
  add_contender<FathomDeque, Bystander>("scheduling_floor");
}

}  // namespace fathom::bench

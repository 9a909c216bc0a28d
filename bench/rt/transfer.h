// Transfer: producers send a fixed number of items through a queue; each consumer takes a fixed
// share.
//
//   add_spsc<Polled<Ring>>("ring", 5'000'000);
//   add_mpmc<Polled<Ring>>("ring", 200'000);
//   add_mpsc<Polled<Queue>>("queue", 400'000);
//
// Threads are started before the clock. Time is measured from the moment when all threads have
// reached the start line until the last consumer has its share.

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "rt/contender.h"
#include "rt/receipt.h"
#include "rt/start_line.h"
#include "rt/suite.h"

namespace fathom::bench {

inline constexpr std::size_t kBatch = 16;

struct Plan {
  unsigned producers = 1;
  unsigned consumers = 1;
  std::uint64_t items_each = 0;  // per producer, a multiple of kBatch

  std::uint64_t items() const { return items_each * producers; }  // a multiple of `consumers`
};

// How producers send and consumers take: one by one, sixteen at a time, or one by one with a single
// consumer that takes everything available.
enum class Mode { items, batches, drain };

template <class Contender, class Receipt, Mode mode>
class Transfer {
 public:
  explicit Transfer(const Plan& plan)
      : plan_(plan),
        share_(plan.items() / plan.consumers),
        queue_(kCapacity),
        line_(plan.producers + plan.consumers),
        ends_(plan.consumers) {}

  // Call once. Returns the duration.
  std::chrono::duration<double> run() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < plan_.consumers; ++i) threads.emplace_back([this, i] { consume(i); });
    for (unsigned i = 0; i < plan_.producers; ++i) threads.emplace_back([this, i] { produce(i); });
    for (std::thread& thread : threads) thread.join();
    const auto last = std::max_element(ends_.begin(), ends_.end(),
                                       [](const End& a, const End& b) { return a.time < b.time; });
    return last->time - line_.opened();
  }

  Received received() const {
    Received all;
    for (const End& end : ends_) all += end.received;
    return all;
  }

 private:
  // The result of one consumer.
  struct End {
    Received received;
    StartLine::TimePoint time;
  };

  void produce(unsigned number) {
    auto end = queue_.producer();
    line_.cross();
    if constexpr (mode != Mode::batches) {
      for (std::uint64_t i = 1; i <= plan_.items_each; ++i) end.push(item(number, i));
    } else {
      std::array<Item, kBatch> batch{};
      for (std::uint64_t sent = 0; sent < plan_.items_each; sent += kBatch) {
        for (std::size_t i = 0; i < kBatch; ++i) batch[i] = item(number, sent + i + 1);
        end.push_batch(batch);
      }
    }
  }

  void consume(unsigned number) {
    auto end = queue_.consumer();
    Receipt receipt(plan_.producers);
    line_.cross();
    if constexpr (mode == Mode::items) {
      for (std::uint64_t left = share_; left > 0; --left) receipt.take(end.pop());
    } else if constexpr (mode == Mode::drain) {
      const auto take = [&](Item item) { receipt.take(item); };
      for (std::uint64_t left = share_; left > 0;) left -= end.drain(take);
    } else {
      std::array<Item, kBatch> batch{};
      for (std::uint64_t left = share_; left > 0;) {
        const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, kBatch));
        const std::size_t count = end.pop_batch(std::span<Item>(batch).first(wanted));
        for (std::size_t i = 0; i < count; ++i) receipt.take(batch[i]);
        left -= count;
      }
    }
    ends_[number] = {receipt.received(), base::monotonic_now()};
  }

  const Plan plan_;
  const std::uint64_t share_;
  // On a separate cache line: not every contender is padded.
  alignas(base::kCacheLine) Contender queue_;
  alignas(base::kCacheLine) StartLine line_;
  std::vector<End> ends_;  // each written once, by its consumer
};

template <class Contender, class Receipt, Mode mode>
void measure_transfer(benchmark::State& state, const Plan& plan) {
  Received all;
  for (auto _ : state) {
    Transfer<Contender, Receipt, mode> transfer(plan);
    state.SetIterationTime(transfer.run().count());
    const Received received = transfer.received();
    if (!complete(received, sent(plan.producers, plan.items_each)) ||
        (Contender::kKeepsOrder && received.late > 0)) {
      fail(state, describe(received));
      break;
    }
    all += received;
  }
  count_operations(state, plan.items());
  if (!Contender::kKeepsOrder) {
    state.counters["late"] = static_cast<double>(all.late) / static_cast<double>(all.count);
  }
}

template <class Contender, class Receipt, Mode mode = Mode::items>
void add_transfer(const std::string& name, const Plan& plan) {
  add(name,
      [plan](benchmark::State& state) { measure_transfer<Contender, Receipt, mode>(state, plan); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

// One thread to one other. So many items that a run takes some 50 ms.
template <class Contender>
void add_spsc(const std::string& contender, std::uint64_t items) {
  add_transfer<Contender, ReceiptOfOne>("rt/spsc/items/" + contender, {1, 1, items});
}
template <class Contender>
void add_spsc_batches(const std::string& contender, std::uint64_t items) {
  add_transfer<Contender, ReceiptOfOne, Mode::batches>("rt/spsc/batch16/" + contender,
                                                       {1, 1, items});
}

// Many to many. The number of items is that of all producers together, except for the 50 writers,
// which send 1000 each.
template <class Contender>
void add_mpmc(const std::string& contender, std::uint64_t items) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    const std::string shape = std::to_string(threads) + 'P' + std::to_string(threads) + 'C';
    add_transfer<Contender, ReceiptOfMany>("rt/mpmc/" + shape + '/' + contender,
                                           {threads, threads, items / threads});
  }
  add_transfer<Contender, ReceiptOfMany>("rt/mpmc/50x50/" + contender, {50, 50, 1000});
}
// Many to one, which takes everything available, like a reactor.
template <class Contender>
void add_mpsc(const std::string& contender, std::uint64_t items) {
  for (const unsigned producers : {1U, 2U, 4U}) {
    add_transfer<Contender, ReceiptOfMany, Mode::drain>(
        "rt/mpsc/" + std::to_string(producers) + "P1C/" + contender,
        {producers, 1, items / producers});
  }
}
template <class Contender>
void add_mpmc_batches(const std::string& contender, std::uint64_t items) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    const std::string shape = std::to_string(threads) + 'P' + std::to_string(threads) + 'C';
    add_transfer<Contender, ReceiptOfMany, Mode::batches>(
        "rt/mpmc/" + shape + "_batch16/" + contender, {threads, threads, items / threads});
  }
}

}  // namespace fathom::bench

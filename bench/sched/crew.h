// Crew: this thread and others, which are started once, run a function together.
//
//   Crew crew(2);
//   crew.run([&](unsigned number) { ... });      // on both; returns when both have returned
//
// Between runs the others wait like all contenders without blocking calls: see rt/backoff.h.

#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "rt/backoff.h"

namespace fathom::bench {

class Crew {
 public:
  explicit Crew(unsigned threads) {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    work_ = nullptr;
    round_.fetch_add(1, base::memory_order_release);  // [B3]
    for (std::thread& thread : threads_) thread.join();
  }

  void run(const std::function<void(unsigned)>& work) {
    work_ = &work;
    unfinished_.store(threads_.size(), base::memory_order_relaxed);
    round_.fetch_add(1, base::memory_order_release);  // [B3] pairs with the acquire in serve()
    work(0);
    Backoff backoff;
    // [B4] acquire: pairs with the release in serve(), for the effects of the others.
    while (unfinished_.load(base::memory_order_acquire) > 0) backoff.miss();
  }

 private:
  void serve(unsigned number) {
    for (std::uint64_t done = 0;; ++done) {
      Backoff backoff;
      while (round_.load(base::memory_order_acquire) == done) backoff.miss();  // [B3]
      if (work_ == nullptr) return;
      (*work_)(number);
      unfinished_.fetch_sub(1, base::memory_order_release);  // [B4]
    }
  }

  const std::function<void(unsigned)>* work_ = nullptr;  // of the round; null: the end
  base::atomic<std::uint64_t> round_{0};
  base::atomic<std::size_t> unfinished_{0};
  std::vector<std::thread> threads_;
};

}  // namespace fathom::bench

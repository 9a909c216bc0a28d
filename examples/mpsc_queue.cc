// MpscQueue: any thread posts jobs to one loop, and learns whether it has to wake the loop.

#include <functional>
#include <iostream>
#include <thread>
#include <utility>

#include "fathom/rt.h"

int main() {
  using Job = std::function<void()>;
  fathom::rt::MpscQueue<Job> jobs;
  fathom::rt::EventCount wake;  // a reactor would use an eventfd
  const auto post = [&](Job job) {
    if (jobs.push(std::move(job)))
      wake.notify_one();  // only the first push since the loop found the queue empty
  };
  int done = 0;
  bool stop = false;
  std::thread poster([&] {
    for (int i = 0; i < 1000; ++i) post([&done] { ++done; });
    post([&stop] { stop = true; });
  });
  while (!stop) {
    const auto key = wake.prepare_wait();
    if (jobs.drain([](Job&& job) { job(); }) > 0) {
      wake.cancel_wait(key);
    } else {
      wake.commit_wait(key);
    }
  }
  poster.join();
  std::cout << done << " jobs ran on this thread, without a lock\n";
  return done == 1000 ? 0 : 1;
}

// Lock profile: how long 50 writers and 50 readers wait for the one lock of a queue, and for each
// of the two locks of TwoLockQueue. All files of this program define FATHOM_MUTEX_HEADER.

#include <iostream>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>
#include <vector>

#include "fathom/base/mutex.h"
#include "fathom/diag/lock_report.h"
#include "fathom/rt.h"

namespace {

// Like TwoLockQueue, but writers and readers share a lock. Readers sleep in the same way.
class OneLockQueue {
 public:
  void push(int item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push(item);
    }
    filled_.notify_one();
  }
  int pop() {
    for (;;) {
      if (const auto item = try_pop()) return *item;
      filled_.wait([this] { return !empty(); });
    }
  }

 private:
  std::optional<int> try_pop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int item = items_.front();
    items_.pop();
    return item;
  }
  bool empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

  fathom::base::Mutex mutex_ = fathom::base::named_mutex("one lock");
  std::queue<int> items_;
  fathom::rt::LightEventCount filled_;
};

constexpr int kThreads = 50;
constexpr int kItems = 1000;  // of each writer, and for each reader

template <class Queue>
void pass_items(Queue& queue) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int item = 0; item < kItems; ++item) queue.push(item);
    });
    threads.emplace_back([&] {
      for (int item = 0; item < kItems; ++item) static_cast<void>(queue.pop());
    });
  }
}

}  // namespace

int main() {
  OneLockQueue one;
  pass_items(one);
  fathom::rt::TwoLockQueue<int> two;
  pass_items(two);
  const fathom::diag::LockReport report = fathom::diag::lock_report();
  std::cout << report.text(0);  // only the table
  std::size_t complete = 0;     // each lock was taken for each item
  for (const auto& lock : report.locks) complete += lock.acquisitions >= kThreads * kItems;
  return complete == 3 ? 0 : 1;
}
